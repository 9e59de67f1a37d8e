#include <sys/stat.h>

#include <QTest>
#include <fstream>

#include "engine/base/error.h"
#include "engine/queue/device_locks.h"
#include "engine/queue/lock_folder.h"
#include "tests/queue/lock_bench.h"
#include "tests/run_folder/other_process.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::queue;
using namespace lockstep::tests;
namespace fs = std::filesystem;

namespace {

using Locks = std::optional<DeviceLocks>;

/// A supervisor: it holds the run's lock as well.
struct Training {
  run_folder::RunLock run;
  DeviceLocks devices;
  std::vector<BusyDevice> busy;
};

Training train(const LockBench& bench, const std::string& name, const std::vector<Device>& devices,
               const std::string& job = "") {
  auto run = run_folder::RunLock::tryAcquire(bench.run(name)).value();
  std::vector<BusyDevice> busy;
  DeviceLocks locks = DeviceLocks::takeShared(devices, bench.holder(name, job), busy);
  return {std::move(run), std::move(locks), std::move(busy)};
}

Locks tryTakeFree(const LockBench& bench, const std::vector<Device>& devices) {
  const auto order = lockOrder();
  return DeviceLocks::tryTakeFree(devices, bench.holder("queued"));
}

}  // namespace

class TstDeviceLocks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { bench_ = std::make_unique<LockBench>(); }
  void cleanup() { bench_.reset(); }

  void theFolderIsThatOfTheUserInTmp() {
    qunsetenv("LOCKSTEP_LOCKS");
    QCOMPARE(lockFolder().string(), "/tmp/lockstep-" + std::to_string(::geteuid()));
    qputenv("XDG_RUNTIME_DIR", bench_->folder().c_str());
    QCOMPARE(lockFolder().string(), "/tmp/lockstep-" + std::to_string(::geteuid()));
    qunsetenv("XDG_RUNTIME_DIR");
  }

  void everyDeviceInUseIsFoundWithItsHolders() {
    QVERIFY(busyDevices().empty());
    {
      const auto training = train(*bench_, "a", {kGpu0, kCpu});
      auto busy = busyDevices();
      std::ranges::sort(busy, {}, [](const BusyDevice& each) { return each.device.id; });
      QCOMPARE(busy.size(), std::size_t{2});
      QCOMPARE(busy[0].device.name, std::string("GPU-aaaa"));
      QCOMPARE(busy[1].device.name, std::string("the CPU"));
      QCOMPARE(busy[1].holders.size(), std::size_t{1});
    }
  }

  void filesAreNamedAfterTheDevicesAndPrivate() {
    const auto training = train(*bench_, "a", {kGpu0, kCpu, {"x/../y", "?"}});
    QVERIFY(fs::exists(bench_->locks() / "devices/GPU-aaaa.lock"));
    QVERIFY(fs::exists(bench_->locks() / "devices/cpu.lock"));
    QVERIFY(fs::exists(bench_->locks() / "devices/x____y.lock"));
    struct stat status {};
    QCOMPARE(::stat(bench_->locks().c_str(), &status), 0);
    QCOMPARE(static_cast<int>(status.st_mode & 0777), 0700);
    QCOMPARE(::stat(bench_->lockOf("cpu").c_str(), &status), 0);
    QCOMPARE(static_cast<int>(status.st_mode & 0777), 0600);
  }

  void aBusyDeviceNamesItsRun() {
    std::ignore = train(*bench_, "old", {kGpu0});  // has ended
    const OtherProcess other([&] { return train(*bench_, "other", {kGpu0}); });
    const auto training = train(*bench_, "own", {kGpu0, kGpu1});
    QCOMPARE(training.busy.size(), std::size_t{1});
    QCOMPARE(training.busy[0].device.name, kGpu0.name);
    QCOMPARE(training.busy[0].holders.size(), std::size_t{1});
    const Holder& holder = training.busy[0].holders[0];
    QCOMPARE(holder.text(), "run other (" + bench_->run("other").folder().string() + ", pid " +
                                std::to_string(holder.pid) + ")");
    QCOMPARE(holdersOf(kGpu0).size(), std::size_t{2});
    QCOMPARE(holdersOf(kGpu1).size(), std::size_t{1});
  }

  void aDeviceIsFreeWhenItsLastTrainingHasEnded() {
    OtherProcess first([&] { return train(*bench_, "first", {kGpu0}); });
    OtherProcess second([&] { return train(*bench_, "second", {kGpu0, kGpu1}); });
    QVERIFY(!tryTakeFree(*bench_, {kGpu0}));
    first.kill();
    QVERIFY2(!tryTakeFree(*bench_, {kGpu0}), "the second trains on it, too");
    QVERIFY2(!tryTakeFree(*bench_, {kCpu, kGpu1}), "all or none");
    QVERIFY2(tryTakeFree(*bench_, {kCpu}), "and what was free stays so");
    second.kill();
    const Locks locks = tryTakeFree(*bench_, {kGpu0, kGpu1});
    QVERIFY(locks);
    QVERIFY2(!tryTakeFree(*bench_, {kGpu0}), "a queued run holds it in the same way");
  }

  void aTrainingBesideAQueuedRunHoldsTheDeviceWithIt() {
    Locks queued = tryTakeFree(*bench_, {kGpu0});
    QVERIFY(queued);
    const auto beside = train(*bench_, "beside", {kGpu0});
    queued.reset();
    QVERIFY2(!tryTakeFree(*bench_, {kGpu0}), "it has had its lock from the start");
  }

  void onlyLivingHoldersAreNamed() {
    OtherProcess first([&] { return train(*bench_, "first", {kGpu0}); });
    const OtherProcess second([&] { return train(*bench_, "second", {kGpu0}); });
    first.kill();
    const auto third = train(*bench_, "third", {kGpu0});
    QCOMPARE(third.busy.at(0).holders.size(), std::size_t{1});
    QCOMPARE(third.busy[0].holders[0].run, bench_->run("second").folder().string());
  }

  void oneDeviceForTwoRanksIsLockedOnce() {
    const Locks locks = tryTakeFree(*bench_, {kGpu0, kGpu0});
    QVERIFY(locks);
  }

  void processesOfOneJobAreNotInEachOthersWay() {
    const OtherProcess rank([&] { return train(*bench_, "", {kCpu}, "node1:29500"); });
    QVERIFY(train(*bench_, "own", {kCpu}, "node1:29500").busy.empty());
    const auto other = train(*bench_, "other", {kCpu}, "node1:29501");
    QCOMPARE(other.busy.size(), std::size_t{1});
  }

  void aLockByAnotherProgramIsBusyWithoutAName() {
    fs::create_directories(bench_->locks() / "devices");
    OtherProcess script([&] { return base::FileLock::tryAcquire(bench_->lockOf("cpu")); });
    auto training = train(*bench_, "own", {kCpu});
    QCOMPARE(training.busy.size(), std::size_t{1});
    QVERIFY(training.busy[0].holders.empty());
    script.kill();
    QVERIFY(tryTakeFree(*bench_, {kCpu}));
    training.devices.restore();
    QVERIFY2(!tryTakeFree(*bench_, {kCpu}), "it got the lock later");
  }

  void removedFilesAreLockedAgain() {
    auto training = train(*bench_, "own", {kGpu0});
    fs::remove_all(bench_->locks());
    training.devices.restore();
    QVERIFY(!tryTakeFree(*bench_, {kGpu0}));
    QCOMPARE(holdersOf(kGpu0).size(), std::size_t{1});
    training.devices.restore();
    QCOMPARE(holdersOf(kGpu0).size(), std::size_t{1});
  }

  void damagedNamesAreLeftOut() {
    const OtherProcess other([&] { return train(*bench_, "other", {kCpu}); });
    std::ofstream(bench_->lockOf("cpu"), std::ios::app)
        << "{\"run\":\"/x\",\"pid\":\n\xff\xfe\n[]\n{}\n{\"run\":1}\n";
    const auto training = train(*bench_, "own", {kCpu});
    QCOMPARE(training.busy.at(0).holders.size(), std::size_t{1});
  }

  void aFolderOfOthersIsRefused() {
    fs::create_symlink("/tmp", bench_->locks());
    std::vector<BusyDevice> busy;
    try {
      std::ignore = DeviceLocks::takeShared({kCpu}, bench_->holder("a"), busy);
      QFAIL("taken");
    } catch (const Error& error) {
      QVERIFY2(std::string(error.what()).find("LOCKSTEP_LOCKS") != std::string::npos, error.what());
    }
  }

 private:
  std::unique_ptr<LockBench> bench_;
};

LOCKSTEP_TEST(TstDeviceLocks)
#include "tst_device_locks.moc"
