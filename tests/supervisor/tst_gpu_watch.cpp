#include <sys/wait.h>

#include <QTest>
#include <cmath>
#include <map>

#include "engine/supervisor/gpu_watch.h"
#include "tests/support/fake_nvml/fake_nvml_file.h"
#include "tests/support/resource_limits.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using supervisor::GpuFigures;
using supervisor::GpuWatch;
using supervisor::PollLoop;

namespace {

/// The first figures of every place, from a watch over these GPUs.
std::map<std::size_t, GpuFigures> firstFigures(const std::vector<int>& indices,
                                               const std::string& library, std::size_t expected) {
  PollLoop loop;
  std::map<std::size_t, GpuFigures> figures;
  const GpuWatch watch(
      loop, indices,
      [&](std::size_t place, const GpuFigures& read) {
        figures.emplace(place, read);
        if (figures.size() == expected) loop.stop();
      },
      library);
  loop.after(std::chrono::seconds(10), [&] { loop.stop(); });
  loop.run();
  return figures;
}

/// Whether this process has a child that nobody has waited for.
bool hasChild() {
  siginfo_t state{};
  return ::waitid(P_ALL, 0, &state, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace

class TstGpuWatch : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void metricsOfTheGivenGpusArrive() {
    const tests::FakeNvml nvml;
    nvml.setAnswers(tests::kTwoGpus);
    const auto figures = firstFigures({1}, tests::FakeNvml::library(), 1);
    QCOMPARE(figures.size(), std::size_t{1});
    const GpuFigures& busy = figures.at(0);
    QCOMPARE(busy.utilisationPercent, 87.0);
    QCOMPARE(busy.memoryBytes, 100.0 * (1 << 30));
    QCOMPARE(busy.temperatureCelsius, 64.0);
    QCOMPARE(busy.powerWatts, 612.5);
    QCOMPARE(busy.throttledPercent, 100.0);
    QVERIFY(!busy.isLost);
  }

  void idleClocksAreNotThrottled() {
    const tests::FakeNvml nvml;
    nvml.setAnswers(tests::kTwoGpus);
    const auto figures = firstFigures({0, 1}, tests::FakeNvml::library(), 2);
    QCOMPARE(figures.size(), std::size_t{2});
    QCOMPARE(figures.at(0).throttledPercent, 0.0);
    QCOMPARE(figures.at(1).throttledPercent, 100.0);
  }

  void impossibleValuesAreUnknown() {
    const tests::FakeNvml nvml;
    nvml.setAnswers(
        "driver 580\ncuda 13000\n"
        "gpu X GPU-a 90 1000 2000 4294967295 4294967295 4294967295 0 0\n");
    const auto figures = firstFigures({0}, tests::FakeNvml::library(), 1);
    QCOMPARE(figures.size(), std::size_t{1});
    QVERIFY(std::isnan(figures.at(0).utilisationPercent));
    QVERIFY(std::isnan(figures.at(0).memoryBytes));
    QVERIFY(std::isnan(figures.at(0).temperatureCelsius));
    QVERIFY(std::isnan(figures.at(0).powerWatts));
    QCOMPARE(figures.at(0).throttledPercent, 0.0);
  }

  void anOldDriverGivesTheMetricsItHas() {
    const tests::FakeNvml nvml;
    nvml.setAnswers(tests::kTwoGpus);
    const auto figures = firstFigures({1}, tests::FakeNvml::oldLibrary(), 1);
    QCOMPARE(figures.size(), std::size_t{1});
    QCOMPARE(figures.at(0).memoryBytes, 100.0 * (1 << 30));
    QVERIFY(std::isnan(figures.at(0).utilisationPercent));
    QVERIFY(std::isnan(figures.at(0).throttledPercent));
  }

  void aLostGpuIsReportedOnceAndTheOtherContinues() {
    const tests::FakeNvml nvml;
    nvml.setAnswers(
        "driver 580\ncuda 13000\n"
        "gpu X GPU-a 90 1000 10 1 40 1000 0 15\n"
        "gpu Y GPU-b 90 1000 10 2 40 1000 0 0\n");
    PollLoop loop;
    int lost = 0, others = 0;
    const GpuWatch watch(
        loop, {0, 1},
        [&](std::size_t place, const GpuFigures& read) {
          if (place == 0) lost += read.isLost && std::isnan(read.powerWatts) ? 1 : 100;
          if (place == 1 && ++others == 3) loop.stop();
        },
        tests::FakeNvml::library());
    loop.after(std::chrono::seconds(10), [&] { loop.stop(); });
    loop.run();
    QCOMPARE(others, 3);
    QCOMPARE(lost, 1);
  }

  void aHangingDriverBlocksNothing() {
    const tests::FakeNvml nvml;
    nvml.setAnswers(std::string(tests::kTwoGpus) + "hang\n");
    PollLoop loop;
    {
      const GpuWatch watch(
          loop, {0}, [](std::size_t, const GpuFigures&) { QFAIL("nothing was answered"); },
          tests::FakeNvml::library());
      QVERIFY(hasChild());
      // A loop that were held up would run into the test's time limit.
      loop.every(std::chrono::milliseconds(20), [&] {
        if (nvml.isWaitedFor()) loop.stop();
      });
      loop.run();
    }
    // Killed; the watch leaves it to the system where that takes long.
    ::waitpid(-1, nullptr, 0);
    QVERIFY(!hasChild());
  }

  void withoutAProcessThereAreNoMetricsAndAReason() {
    PollLoop loop;
    const tests::NoMoreFiles limit;
    const GpuWatch watch(
        loop, {0}, [](std::size_t, const GpuFigures&) { QFAIL("nobody asks"); },
        tests::FakeNvml::library());
    QCOMPARE(watch.error(), std::string("pipe: Too many open files"));
    QVERIFY(!hasChild());
  }

  void withoutADriverNothingIsReportedAndNoProcessIsLeft() {
    PollLoop loop;
    const GpuWatch watch(
        loop, {0}, [](std::size_t, const GpuFigures&) { QFAIL("there is nothing to tell"); },
        "/nowhere/libnvidia-ml.so.1");
    QCOMPARE(watch.error(), std::string());
    QVERIFY2(hasChild(), "it looks for one first");
    loop.every(std::chrono::milliseconds(20), [&] {
      if (!hasChild()) loop.stop();
    });
    loop.after(std::chrono::seconds(10), [&] { loop.stop(); });
    loop.run();
    QVERIFY(!hasChild());
  }
};

LOCKSTEP_TEST(TstGpuWatch)
#include "tst_gpu_watch.moc"
