// Runs on GPUs that a fake NVML names, with a scripted worker: what reaches the log, the command
// line and the worker.
#include <QTest>
#include <algorithm>
#include <set>

#include "engine/base/atomic_file.h"
#include "engine/protocol/messages.h"
#include "tests/support/contains.h"
#include "tests/support/fake_nvml/fake_nvml_file.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
using tests::FakeNvml;

namespace {

constexpr const char* kBuild =
    R"(finish 0 result {"libtorch":"2.11.0","cuda_kernels":true,"cuda_architectures":"80-real 90","usable_gpus":2})";

constexpr const char* kOldAndNew =
    "driver 580.65.06\ncuda 13000\n"
    "gpu GT_710 GPU-a 35 2048 0 0 30 50000 0 0\n"
    "gpu NVIDIA_H200 GPU-b 90 141312 512 0 31 76000 1 0\n";
constexpr const char* kTrains = "state running 0\nscalars 1 6\ncheckpoint 6 last\nfinish 6\n";

/// A bench whose engine finds the fake driver and a build with kernels.
struct GpuBench {
  explicit GpuBench(const std::string& says = tests::kTwoGpus) {
    nvml.setAnswers(says);
    bench.setVariable("LD_LIBRARY_PATH", FakeNvml::folder());
    bench.script(kBuild, "info");
  }

  std::vector<std::string> line(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"train", "experiment.yaml", "--set", "runtime.device=cuda"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  FakeNvml nvml;
  EngineBench bench;
};

/// As torchrun starts one of its ranks on a machine.
void setTorchrunLocalRank(EngineBench& bench, int localRank) {
  bench.setVariable("RANK", "0");
  bench.setVariable("LOCAL_RANK", std::to_string(localRank));
  bench.setVariable("WORLD_SIZE", "4");
  bench.setVariable("MASTER_ADDR", "127.0.0.1");
  bench.setVariable("MASTER_PORT", "29500");
}

/// Tags of the only run's log that begin with system/, and where they first are.
std::set<std::string> systemTags(const EngineBench& bench) {
  std::set<std::string> tags;
  try {
    for (const events::Record& record : tests::recordsOf(bench.onlyRun()))
      for (const auto& [tag, value] : record.scalars)
        if (tag.starts_with("system/")) tags.insert(tag);
  } catch (const Error&) {  // there is none yet
  }
  return tags;
}

/// Trains until the log has this tag, then asks to stop; returns standard error.
std::string trainUntilTag(GpuBench& gpus, const std::vector<std::string>& line,
                          const std::string& tag) {
  gpus.bench.script("touch started\nawait stop-it\nfinish 6 stopped\n");
  gpus.bench.rankScript(0, "listening 9\nstate running 0\ntrain-until-stop 1\n");
  const auto engine = gpus.bench.start(line);
  const bool isReported =
      QTest::qWaitFor([&] { return systemTags(gpus.bench).contains(tag); }, 20000);
  gpus.bench.touch("stop-it");
  engine->terminate();
  const auto result = EngineBench::finish(*engine);
  if (!isReported) throw Error("no " + tag + ": " + result.err);
  return result.err;
}

}  // namespace

class TstGpuRuns : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void metricsOfEveryGpuAreInTheLog() {
    GpuBench gpus;
    trainUntilTag(gpus, gpus.line({"--workers", "2"}), "system/gpu1/power_watts");
    const std::set<std::string> expected{"system/cpu_percent",
                                         "system/gpu0/memory_gib",
                                         "system/gpu0/power_watts",
                                         "system/gpu0/temperature_celsius",
                                         "system/gpu0/throttled_percent",
                                         "system/gpu0/utilisation_percent",
                                         "system/gpu1/memory_gib",
                                         "system/gpu1/power_watts",
                                         "system/gpu1/temperature_celsius",
                                         "system/gpu1/throttled_percent",
                                         "system/gpu1/utilisation_percent",
                                         "system/memory_gib"};
    QVERIFY(systemTags(gpus.bench) == expected);
    std::int64_t lastStep = 0;
    for (const events::Record& record : tests::recordsOf(gpus.bench.onlyRun())) {
      const auto busy = std::ranges::find(record.scalars, "system/gpu1/utilisation_percent",
                                          &std::pair<std::string, float>::first);
      if (busy == record.scalars.end()) continue;
      QCOMPARE(busy->second, 87.f);
      const auto loss = std::ranges::find(record.scalars, "train/loss_total",
                                          &std::pair<std::string, float>::first);
      QVERIFY2(loss != record.scalars.end(), "it joins a step's record");
      QVERIFY(record.step > lastStep);
      lastStep = record.step;
    }
  }

  void onlyGpusThatRanksUseAreInTheLog() {
    GpuBench gpus;
    trainUntilTag(gpus, gpus.line({"--set", "runtime.devices=[1]", "--workers", "1"}),
                  "system/gpu1/power_watts");
    QVERIFY(!systemTags(gpus.bench).contains("system/gpu0/power_watts"));
    QCOMPARE(gpus.bench.lastPlacement().gpu, 1);
    QCOMPARE(gpus.bench.lastPlacement().gpuName, std::string("GPU 1 (NVIDIA H200)"));
  }

  void aGpuHasTheDriversNumberWhereOthersAreHidden() {
    GpuBench gpus;
    gpus.bench.setVariable("CUDA_VISIBLE_DEVICES", "1");
    trainUntilTag(gpus, gpus.line(), "system/gpu1/power_watts");
    QVERIFY(!systemTags(gpus.bench).contains("system/gpu0/power_watts"));
    QCOMPARE(gpus.bench.lastPlacement().gpu, 0);  // CUDA's number
  }

  void onTheCpuTheRanksUseIsInTheLog() {
    GpuBench gpus;
    trainUntilTag(gpus, {"train", "experiment.yaml"}, "system/cpu_percent");
    QVERIFY(systemTags(gpus.bench) ==
            (std::set<std::string>{"system/cpu_percent", "system/memory_gib"}));
  }

  void aGpuThatIsLostIsAWarning() {
    GpuBench gpus;
    gpus.bench.script("await go\nfinish 6\n");
    gpus.bench.rankScript(0, "listening 9\nstate running 0\nscalars 1 3\nawait go\nfinish 6\n");
    const auto engine = gpus.bench.start(gpus.line(
        {"--workers", "2", "--set", "runtime.devices=[0,0]", "--set", "runtime.backend=gloo"}));
    QVERIFY(gpus.bench.waitForState("running"));
    gpus.nvml.setAnswers(
        "driver 580.65.06\ncuda 13000\ngpu NVIDIA_H200 GPU-a 90 141312 512 0 31 76000 1 15\n");
    const auto isWarned = [&] {
      return std::ranges::any_of(tests::recordsOf(gpus.bench.onlyRun()), [](const auto& record) {
        return contains(record.json, "GPU 0 (NVIDIA H200) is lost");
      });
    };
    QVERIFY(QTest::qWaitFor(isWarned, 20000));
    gpus.bench.touch("go");
    const auto result = EngineBench::finish(*engine);
    QVERIFY2(contains(result.err, "[engine] warning: GPU 0 (NVIDIA H200) is lost"),
             result.err.c_str());
    const std::string words = "is lost";
    const std::size_t first = result.err.find(words);
    QVERIFY2(result.err.find(words, first + 1) == std::string::npos, "two ranks share it");
  }

  void aHangingDriverDelaysNoRun() {
    GpuBench gpus;
    gpus.bench.script("state running 0\nscalars 1 6\nawait go\ncheckpoint 6 last\nfinish 6\n");
    const auto engine = gpus.bench.start(gpus.line({"--workers", "1"}));
    QVERIFY(gpus.bench.waitForState("running"));
    gpus.nvml.setAnswers(std::string(tests::kTwoGpus) + "hang\n");
    QTRY_VERIFY_WITH_TIMEOUT(gpus.nvml.isWaitedFor(), 20000);
    gpus.bench.touch("go");
    const auto result = EngineBench::finish(*engine);
    QVERIFY2(result.status == 0, result.err.c_str());
  }

  void unusableGpusAreRefusedOrSkipped_data() {
    QTest::addColumn<QString>("says");
    QTest::addColumn<QString>("reason");
    QTest::newRow("old driver")
        << "driver 570.86.15\ncuda 12080\ngpu NVIDIA_A100 GPU-a 80 81920 0 0 30 50000 0 0\n"
        << "the NVIDIA driver 570.86.15, which supports CUDA 12.8, is too old: CUDA 13.0 needs "
           "driver 580 or newer; install one";
    QTest::newRow("old GPU")
        << "driver 580.65.06\ncuda 13000\ngpu GTX_1080 GPU-a 61 8192 0 0 30 50000 0 0\n"
        << "GPU 0 (GTX 1080) has compute capability 6.1 and is too old: LibTorch needs 7.5 or more";
    QTest::newRow("no GPU") << "driver 580.65.06\ncuda 13000\n"
                            << "the NVIDIA driver reports no GPU: check nvidia-smi";
    QTest::newRow("driver updated")
        << "init 18\n"
        << "the NVIDIA driver was updated under the running system: restart the machine";
  }
  void unusableGpusAreRefusedOrSkipped() {
    QFETCH(QString, says);
    QFETCH(QString, reason);
    GpuBench gpus(says.toStdString());
    const auto refused = gpus.bench.run(gpus.line());
    QCOMPARE(refused.status, 2);
    QVERIFY2(contains(refused.err, "runtime.device: cuda is not available (" +
                                       reason.toStdString() + "); set it to cpu or auto\n"),
             refused.err.c_str());
    QCOMPARE(std::ranges::count(refused.err, '\n'), 1);
    QVERIFY(!std::filesystem::exists(gpus.bench.folder() / "runs"));

    gpus.bench.script("state running 0\nscalars 1 6\ncheckpoint 6 last\nfinish 6\n");
    const auto trained =
        gpus.bench.run({"train", "experiment.yaml", "--set", "runtime.device=auto"});
    QVERIFY2(trained.status == 0, trained.err.c_str());
    QVERIFY2(contains(trained.err, "device: the CPU ("), trained.err.c_str());
    QVERIFY2(contains(trained.err, reason.toStdString()), trained.err.c_str());
    QVERIFY(contains(base::readFile(gpus.bench.onlyRun().config()), "device: cpu"));
    QCOMPARE(gpus.bench.lastPlacement().gpuName, std::string());
    const auto records = tests::recordsOf(gpus.bench.onlyRun());
    QVERIFY2(std::ranges::any_of(records,
                                 [&](const events::Record& record) {
                                   return contains(record.json, reason.toStdString());
                                 }),
             "the app's log says it too");
    QVERIFY(contains(base::readFile(gpus.bench.onlyRun().engineLog()), reason.toStdString()));
  }

  void gpusUnusableForLibTorchAreReportedByAllCommands() {
    GpuBench gpus;
    gpus.bench.script(R"(finish 0 result {"cuda_kernels":true,"usable_gpus":0})", "info");
    const std::string reason = "LibTorch can use none of the GPUs that the NVIDIA driver reports";
    const auto refused = gpus.bench.run(gpus.line());
    QCOMPARE(refused.status, 2);
    QVERIFY2(contains(refused.err, "runtime.device: cuda is not available (" + reason),
             refused.err.c_str());
    const auto info = gpus.bench.run({"info"});
    QCOMPARE(info.status, 0);
    QVERIFY2(contains(info.out, "137.5 GiB free: unusable: " + reason), info.out.c_str());
    QVERIFY2(!contains(info.out, "usable\n"), info.out.c_str());
  }

  void infoIsJsonWithoutTheWorker() {
    GpuBench gpus(kOldAndNew);
    gpus.bench.script("crash\n", "info");
    const auto info = gpus.bench.run({"info", "--json"});
    QCOMPARE(info.status, 0);
    const std::string listed =
        R"json("gpus":[{"name":"GPU 0 (GT 710)","memory_bytes":2147483648},)json"
        R"json({"name":"GPU 1 (NVIDIA H200)","memory_bytes":148176371712}]})json";
    QVERIFY2(contains(info.out, listed), info.out.c_str());
    QVERIFY2(info.out.starts_with(R"({"memory_bytes":)"), info.out.c_str());
  }

  void infoShowsTheDriverWhereTheWorkerCannotStart() {
    GpuBench gpus;
    gpus.bench.removeWorker();
    const auto result = gpus.bench.run({"info"});
    QCOMPARE(result.status, 1);
    QVERIFY2(contains(result.out,
                      "nvidia driver: 580.65.06, CUDA 13.0\ngpus: 2\n  0: NVIDIA H200, compute "
                      "capability 9.0, 138.0 GiB, 137.5 GiB free: usability unknown\n"),
             result.out.c_str());
    QVERIFY2(contains(result.err, "lockstep-worker"), result.err.c_str());
  }

  void aLaunchersRankOnAnUnusableGpuIsRefused_data() {
    QTest::addColumn<int>("localRank");
    QTest::addColumn<QString>("reason");
    QTest::newRow("too old") << 0
                             << "torchrun's local rank 0 cannot use its GPU: GPU 0 (GT 710) has "
                                "compute capability 3.5 and is too old: LibTorch needs 7.5 or "
                                "more; list the usable GPUs in CUDA_VISIBLE_DEVICES";
    QTest::newRow("not there")
        << 2
        << "torchrun's local rank 2 has no GPU: this machine has 2; start at most one rank per GPU";
    QTest::newRow("fits") << 1 << "";
  }
  void aLaunchersRankOnAnUnusableGpuIsRefused() {
    QFETCH(int, localRank);
    QFETCH(QString, reason);
    GpuBench gpus(kOldAndNew);
    setTorchrunLocalRank(gpus.bench, localRank);
    gpus.bench.script(kTrains);
    for (const char* device : {"cuda", "auto"}) {
      const auto result =
          gpus.bench.run({"train", "experiment.yaml", "--output", device, "--set",
                          std::string("runtime.device=") + device, "--set", "solver.batch_size=4"});
      QVERIFY2(result.status == (reason.isEmpty() ? 0 : 2), result.err.c_str());
      QVERIFY2(contains(result.err, reason.toStdString()), result.err.c_str());
      QVERIFY2(!contains(result.err, "not used"), result.err.c_str());
      if (reason.isEmpty()) QCOMPARE(gpus.bench.lastPlacement().gpu, 1);
      if (!reason.isEmpty()) QCOMPARE(std::ranges::count(result.err, '\n'), 1);
    }
  }

  void aLaunchersRankTrainsOnTheCpuWithoutAUsableGpu() {
    GpuBench gpus("driver 580.65.06\ncuda 13000\ngpu GT_710 GPU-a 35 2048 0 0 30 50000 0 0\n");
    setTorchrunLocalRank(gpus.bench, 0);
    gpus.bench.script(kTrains);
    const auto result = gpus.bench.run({"train", "experiment.yaml", "--set", "runtime.device=auto",
                                        "--set", "solver.batch_size=4"});
    QVERIFY2(result.status == 0, result.err.c_str());
    QVERIFY2(contains(result.err, "device: the CPU (GPU 0 (GT 710) has"), result.err.c_str());
  }

  void anUnusableGpuIsSkipped() {
    GpuBench gpus(kOldAndNew);
    gpus.bench.script(kTrains);
    const auto result = gpus.bench.run(gpus.line());
    QVERIFY2(result.status == 0, result.err.c_str());
    QVERIFY2(contains(result.err, "not used: GPU 0 (GT 710) has compute capability 3.5"),
             result.err.c_str());
    QCOMPARE(gpus.bench.lastPlacement().gpu, 1);
    QCOMPARE(gpus.bench.lastPlacement().localRanks, 1);
    const auto named = gpus.bench.run(gpus.line({"--set", "runtime.devices=[0]"}));
    QCOMPARE(named.status, 2);
    QVERIFY2(contains(named.err, "runtime.devices: GPU 0 (GT 710) has") &&
                 contains(named.err, "LibTorch needs 7.5 or more; remove it from the list\n"),
             named.err.c_str());
    const auto many = gpus.bench.run(gpus.line({"--workers", "2"}));
    QCOMPARE(many.status, 2);
    QVERIFY2(contains(many.err, "2 ranks need as many GPUs, and 1 can be used here: use fewer"),
             many.err.c_str());
  }

  void aBatchLargerThanTheGpuMemoryIsAWarning() {
    GpuBench gpus(
        "driver 580.65.06\ncuda 13000\n"
        "gpu NVIDIA_T4 GPU-a 80 15360 15000 0 31 76000 1 0\n"
        "gpu NVIDIA_H200 GPU-b 90 141312 512 0 31 76000 1 0\n");
    const std::vector<std::string> check{"config", "check", "experiment.yaml",
                                         "--data", "--set", "runtime.device=cuda"};
    const auto result = gpus.bench.run(check);
    QVERIFY2(contains(result.out + result.err,
                      "and GPU 0 (NVIDIA T4) has 0.4 GiB free of 15.0 GiB: lower "
                      "solver.batch_size or augment.min_size, or raise solver.accumulate, or set "
                      "runtime.precision to bf16"),
             (result.out + result.err).c_str());
    gpus.nvml.setAnswers(tests::kTwoGpus);
    const auto roomy = gpus.bench.run(check);
    QVERIFY2(!contains(roomy.out + roomy.err, "GiB free"), (roomy.out + roomy.err).c_str());
  }

  void onlyTheMemoryOfGpusThatRanksUseMatters_data() {
    QTest::addColumn<QString>("first");
    QTest::addColumn<QStringList>("more");
    QTest::addColumn<bool>("isWarned");
    const QString full = QStringLiteral("gpu NVIDIA_T4 GPU-a 80 15360 15000 0 31 76000 1 0\n");
    const QString set = QStringLiteral("--set");
    QTest::newRow("all") << full << QStringList() << true;
    QTest::newRow("the other is listed")
        << full << QStringList{set, QStringLiteral("runtime.devices=[1]")} << false;
    QTest::newRow("it is listed") << full << QStringList{set, QStringLiteral("runtime.devices=[0]")}
                                  << true;
    QTest::newRow("too old") << QStringLiteral("gpu GT_710 GPU-a 35 2048 2000 0 30 50000 0 0\n")
                             << QStringList() << false;
  }
  void onlyTheMemoryOfGpusThatRanksUseMatters() {
    QFETCH(QString, first);
    QFETCH(QStringList, more);
    QFETCH(bool, isWarned);
    GpuBench gpus("driver 580.65.06\ncuda 13000\n" + first.toStdString() +
                  "gpu NVIDIA_H200 GPU-b 90 141312 512 0 31 76000 1 0\n");
    gpus.bench.script("finish 6\n");
    gpus.bench.rankScript(0, "listening 9\n" + std::string(kTrains));
    std::vector<std::string> check{"config", "check", "experiment.yaml",
                                   "--data", "--set", "runtime.device=cuda"};
    auto train = gpus.line();
    for (const QString& word : more) {
      check.push_back(word.toStdString());
      train.push_back(word.toStdString());
    }
    for (const auto& line : {check, train}) {
      const auto result = gpus.bench.run(line);
      QVERIFY2(result.status == 0, result.err.c_str());
      QVERIFY2(contains(result.err, "GiB free of") == isWarned, result.err.c_str());
    }
  }

  void infoListsUsableGpus() {
    GpuBench gpus(kOldAndNew);
    const auto result = gpus.bench.run({"info"});
    QCOMPARE(result.status, 0);
    QVERIFY2(contains(result.out, "nvidia driver: 580.65.06, CUDA 13.0\ngpus: 2\n"),
             result.out.c_str());
    QVERIFY2(contains(result.out,
                      "  0: GT 710, compute capability 3.5, 2.0 GiB, 2.0 GiB free: unusable: GPU 0 "
                      "(GT 710) has"),
             result.out.c_str());
    QVERIFY2(contains(result.out,
                      "  1: NVIDIA H200, compute capability 9.0, 138.0 GiB, 137.5 GiB free: "
                      "usable\n"),
             result.out.c_str());
    QVERIFY2(contains(result.out, "cuda architectures: 80-real 90\n"), result.out.c_str());
    gpus.nvml.setAnswers("driver 470.57\ncuda 11040\ngpu A100 GPU-a 80 16384 0 0 30 50000 0 0\n");
    const auto old = gpus.bench.run({"info"});
    QVERIFY2(contains(old.out,
                      "free: unusable: the NVIDIA driver 470.57, which supports CUDA 11.4, is too "
                      "old"),
             old.out.c_str());
  }
};

LOCKSTEP_TEST(TstGpuRuns)
#include "tst_gpu_runs.moc"
