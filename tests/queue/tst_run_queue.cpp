#include <QTest>
#include <algorithm>
#include <fstream>
#include <random>
#include <set>

#include "engine/base/error.h"
#include "engine/queue/lock_folder.h"
#include "engine/queue/run_queue.h"
#include "tests/queue/lock_bench.h"
#include "tests/run_folder/other_process.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::queue;
using namespace lockstep::tests;
namespace fs = std::filesystem;

namespace {

std::unique_ptr<QueuePlace> enter(const LockBench& bench, const std::string& name,
                                  const std::vector<Device>& devices, int position = 99) {
  return std::make_unique<QueuePlace>(bench.holder(name), devices, 1000, position);
}

std::string names() {
  std::string text;
  for (const WaitingRun& run : waitingRuns()) text += fs::path(run.run).filename().string();
  return text;
}

/// A process that waits in the queue, and moves its place often once there is a file `go`.
class Mover {
 public:
  Mover(const LockBench& bench, const std::string& name)
      : done_(bench.folder() / (name + ".done")) {
    child_ = ::fork();
    if (child_ != 0) return;
    const auto place = enter(bench, name, {kCpu});
    while (!fs::exists(bench.folder() / "go")) ::usleep(1000);
    std::mt19937 random(static_cast<unsigned char>(name[0]));
    for (int move = 0; move < 50; ++move) place->moveTo(1 + static_cast<int>(random() % 5));
    std::ofstream(done_) << "x";
    for (;;) ::pause();
  }
  ~Mover() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;
  bool isDone() const { return fs::exists(done_); }

 private:
  fs::path done_;
  pid_t child_ = -1;
};

}  // namespace

class TstRunQueue : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { bench_ = std::make_unique<LockBench>(); }
  void cleanup() { bench_.reset(); }

  void runsWaitInTheirOrderUntilTheyLeave() {
    QVERIFY(waitingRuns().empty());
    auto a = enter(*bench_, "a", {kCpu}), b = enter(*bench_, "b", {kGpu0, kGpu1});
    const auto c = enter(*bench_, "c", {kCpu}, 1);
    QCOMPARE(names(), std::string("acb"));  // as old as a, and behind it by its folder
    QCOMPARE(b->position(), 3);
    QCOMPARE(waitingRuns()[2].devices, (std::vector<std::string>{"GPU-aaaa", "GPU-bbbb"}));
    a.reset();
    QCOMPARE(names(), std::string("cb"));
    QCOMPARE(b->position(), 2);
  }

  void aRunStartsWhenItsDevicesAreFreeAndItIsItsTurn() {
    auto holder = enter(*bench_, "h", {kGpu0});
    auto running = holder->tryTakeDevices();
    QVERIFY(running);
    QVERIFY(waitingRuns().empty());
    auto both = enter(*bench_, "a", {kGpu0, kGpu1}), second = enter(*bench_, "b", {kGpu1}),
         other = enter(*bench_, "c", {kCpu});
    QVERIFY2(!both->tryTakeDevices(), "GPU 0 is busy");
    QVERIFY2(!second->tryTakeDevices(), "GPU 1 is free, but a waits for it");
    const auto cpu = other->tryTakeDevices();
    QVERIFY2(cpu, "nobody before it waits for the CPU");
    second->moveTo(1);
    auto onSecond = second->tryTakeDevices();
    QVERIFY(onSecond);
    running.reset();
    QVERIFY(!both->tryTakeDevices());
    onSecond.reset();
    QVERIFY(both->tryTakeDevices());
    QVERIFY(waitingRuns().empty());
  }

  void aDeadWaiterFreesItsPlace() {
    OtherProcess first([&] { return enter(*bench_, "a", {kCpu}); });
    auto second = enter(*bench_, "b", {kCpu});
    QCOMPARE(second->position(), 2);
    QVERIFY(!second->tryTakeDevices());
    first.kill();
    QCOMPARE(second->position(), 1);
    QVERIFY(second->tryTakeDevices());
    const auto third = enter(*bench_, "c", {kCpu});
    const auto files = std::distance(fs::directory_iterator(bench_->locks() / "queue"), {});
    QCOMPARE(files, 3);  // order.json, order.lock and its own: what a left is removed
  }

  void aDeadHolderFreesItsDevices() {
    OtherProcess holder([&] {
      auto devices = enter(*bench_, "a", {kGpu0, kCpu})->tryTakeDevices();
      if (!devices) ::_exit(1);
      return devices;
    });
    auto waiting = enter(*bench_, "b", {kCpu});
    QVERIFY(!waiting->tryTakeDevices());
    holder.kill();
    QVERIFY(waiting->tryTakeDevices());
  }

  void aRunThatEntersAgainHasOnePlace() {
    OtherProcess before([&] { return enter(*bench_, "a", {kCpu}); });
    const auto b = enter(*bench_, "b", {kCpu});
    before.kill();
    const auto again = enter(*bench_, "a", {kCpu}, 1);
    QCOMPARE(names(), std::string("ab"));
    QVERIFY_EXCEPTION_THROWN(enter(*bench_, "a", {kCpu}), Error);
    QCOMPARE(names(), std::string("ab"));
  }

  void whatIsRemovedOrDamagedIsMadeAgain_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("everything") << "" << QByteArray();
    QTest::newRow("the order") << "queue/order.json" << QByteArray();
    QTest::newRow("the lock") << "queue/order.lock" << QByteArray();
    QTest::newRow("no JSON") << "queue/order.json" << QByteArray("{\"waiting\":[");
    QTest::newRow("no runs") << "queue/order.json" << QByteArray("{\"waiting\":[{\"run\":1}]}");
    QTest::newRow("no bytes") << "queue/order.json" << QByteArray("\0", 1);
  }
  void whatIsRemovedOrDamagedIsMadeAgain() {
    QFETCH(QString, file);
    QFETCH(QByteArray, content);
    const auto a = enter(*bench_, "a", {kCpu}), b = enter(*bench_, "b", {kCpu});
    const fs::path path = bench_->locks() / file.toStdString();
    if (content.isEmpty()) {
      fs::remove_all(path);
    } else {
      std::ofstream(path) << content.toStdString();
    }
    QCOMPARE(b->position(), file.endsWith(QLatin1String("lock")) ? 2 : 1);
    QCOMPARE(a->position(), 1);
    QCOMPARE(b->position(), 2);
    QCOMPARE(names(), std::string("ab"));
  }

  void onlyOneProcessAtATimeChangesTheQueue() {
    const auto first = enter(*bench_, "x", {kGpu0});
    const Mover mover(*bench_, "y");
    QTRY_COMPARE(names(), std::string("xy"));
    {
      const auto order = lockOrder();
      std::ofstream(bench_->folder() / "go") << "x";
      // Each gives up after a while, in which the mover would be done fifty times.
      for (int attempt = 0; attempt < 4; ++attempt) QVERIFY(!first->tryTakeDevices());
      QVERIFY(!mover.isDone());
      QCOMPARE(names(), std::string("xy"));
    }
    QTRY_VERIFY_WITH_TIMEOUT(mover.isDone(), 20000);
    QVERIFY(first->tryTakeDevices());
  }

  void processesThatReorderAtOnceLeaveAPermutation() {
    std::vector<std::unique_ptr<Mover>> movers;
    for (const char* name : {"a", "b", "c", "d"})
      movers.push_back(std::make_unique<Mover>(*bench_, name));
    QTRY_COMPARE(waitingRuns().size(), std::size_t{4});
    std::ofstream(bench_->folder() / "go") << "x";
    std::set<std::string> orders;
    const auto isDone = [&] {
      std::string seen = names();
      orders.insert(seen);
      std::ranges::sort(seen);
      if (seen != "abcd") throw Error("the order was " + seen);
      return std::ranges::all_of(movers, [](const auto& mover) { return mover->isDone(); });
    };
    QVERIFY(QTest::qWaitFor(isDone, 60000));
    QVERIFY2(orders.size() > 5, "they did not move at once");
  }

 private:
  std::unique_ptr<LockBench> bench_;
};

LOCKSTEP_TEST(TstRunQueue)
#include "tst_run_queue.moc"
