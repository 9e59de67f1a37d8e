#include <unistd.h>

#include <QTest>
#include <cmath>
#include <map>

#include "engine/supervisor/device_use.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using protocol::ScalarBatch;
using supervisor::DeviceUse;
using supervisor::GpuFigures;
using namespace std::chrono_literals;

namespace {

constexpr double kGiB = 1 << 30;
const DeviceUse::Clock::time_point kStart = DeviceUse::Clock::time_point() + 1h;

std::map<std::string, float> valuesOf(const ScalarBatch& batch) {
  const auto& values = batch.records.back().values;
  return {values.begin(), values.end()};
}

ScalarBatch steps(std::int64_t from, std::int64_t to) {
  ScalarBatch batch;
  for (std::int64_t step = from; step <= to; ++step)
    batch.records.push_back({0, step, 0, {{"train/loss_total", 1.0f}}});
  return batch;
}

GpuFigures gpuFigures(double percent, double gibibytes, double celsius, double watts) {
  return {percent, gibibytes * kGiB, celsius, watts, 0, false};
}

/// What is told at `now` of a use that was first asked at kStart.
std::map<std::string, float> toldAt(DeviceUse& use, std::int64_t step,
                                    DeviceUse::Clock::time_point now) {
  ScalarBatch batch = steps(step, step);
  use.addTo(batch, now);
  return valuesOf(batch);
}

}  // namespace

class TstDeviceUse : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void meansAndMaximaAreAddedToTheLastRecord() {
    DeviceUse use(4);
    toldAt(use, 1, kStart);
    use.add(3, gpuFigures(10, 20, 50, 100));
    use.add(3, gpuFigures(90, 60, 70, 300));
    use.add(3, gpuFigures(50, 40, 60, 200));
    ScalarBatch batch = steps(2, 5);
    use.addTo(batch, kStart + 2s);
    for (int i = 0; i < 3; ++i) QCOMPARE(batch.records[i].values.size(), std::size_t{1});
    const auto values = valuesOf(batch);
    QCOMPARE(values.size(), std::size_t{6});
    QCOMPARE(values.at("system/gpu3/utilisation_percent"), 50.f);
    QCOMPARE(values.at("system/gpu3/memory_gib"), 60.f);
    QCOMPARE(values.at("system/gpu3/temperature_celsius"), 70.f);
    QCOMPARE(values.at("system/gpu3/power_watts"), 200.f);
    QCOMPARE(values.at("system/gpu3/throttled_percent"), 0.f);
    QCOMPARE(toldAt(use, 6, kStart + 9s).size(), std::size_t{1});  // nothing new to tell
  }

  void aPointIsRecordedEveryTwoSecondsAtMost() {
    DeviceUse use(1);
    const auto isReported = [&](std::int64_t step, auto now) {
      use.add(0, gpuFigures(10, 1, 50, 100));
      return toldAt(use, step, now).contains("system/gpu0/power_watts");
    };
    QVERIFY(!isReported(1, kStart));
    QVERIFY(!isReported(2, kStart + 1900ms));
    QVERIFY(isReported(3, kStart + 2000ms));
    QVERIFY(!isReported(4, kStart + 3900ms));
    QVERIFY(isReported(5, kStart + 4s));
  }

  void aStepIsRecordedOnce() {
    DeviceUse use(1);
    toldAt(use, 1, kStart);
    use.add(0, gpuFigures(10, 1, 50, 100));
    QVERIFY(toldAt(use, 7, kStart + 3s).contains("system/gpu0/memory_gib"));
    use.add(0, gpuFigures(10, 1, 50, 100));
    QVERIFY2(!toldAt(use, 7, kStart + 60s).contains("system/gpu0/memory_gib"), "its evaluation");
    QVERIFY(toldAt(use, 8, kStart + 61s).contains("system/gpu0/memory_gib"));
  }

  void stepsAfterACutAreRecordedAgain() {
    DeviceUse use(1);
    toldAt(use, 1, kStart);
    use.add(0, gpuFigures(10, 1, 50, 100));
    toldAt(use, 7, kStart + 3s);
    use.forgetAfter(4);
    QVERIFY2(!toldAt(use, 5, kStart + 9s).contains("system/gpu0/memory_gib"), "nothing is known");
    use.add(0, gpuFigures(10, 1, 50, 100));
    QVERIFY(toldAt(use, 6, kStart + 9s).contains("system/gpu0/memory_gib"));
  }

  void unknownValuesAreOmitted() {
    DeviceUse use(1);
    toldAt(use, 1, kStart);
    GpuFigures some;
    some.powerWatts = 120;
    use.add(1, some);
    use.add(1, gpuFigures(NAN, NAN, NAN, 240));
    const auto values = toldAt(use, 2, kStart + 2s);
    QCOMPARE(values.at("system/gpu1/power_watts"), 180.f);
    QCOMPARE(values.at("system/gpu1/throttled_percent"), 0.f);
    QCOMPARE(values.size(), std::size_t{3});
  }

  void cpuPercentIsAShareOfTheCores() {
    DeviceUse use(4);
    toldAt(use, 1, kStart);
    use.add({10, std::int64_t{2} << 30}, {77}, kStart);
    use.add({12, std::int64_t{3} << 30}, {77}, kStart + 1s);  // 2 of 4 cores
    use.add({16, std::int64_t{1} << 30}, {77}, kStart + 2s);  // all
    const auto values = toldAt(use, 2, kStart + 2s);
    QCOMPARE(values.at("system/cpu_percent"), 75.f);
    QCOMPARE(values.at("system/memory_gib"), 3.f);
    // Started again: what the new process has used so far is nobody's last second.
    use.add({1, 0}, {78}, kStart + 3s);
    QVERIFY(!toldAt(use, 3, kStart + 5s).contains("system/cpu_percent"));
    use.add({3, 0}, {78}, kStart + 4s);
    QCOMPARE(toldAt(use, 4, kStart + 9s).at("system/cpu_percent"), 50.f);
  }

  void withoutProcessesNothingIsRecorded() {
    DeviceUse use(1);
    toldAt(use, 1, kStart);
    use.add({}, {}, kStart);
    use.add({}, {}, kStart + 1s);
    QCOMPARE(toldAt(use, 2, kStart + 3s).size(), std::size_t{1});
  }

  void usageIsParsedFromProc() {
    const std::string stat =
        "4711 (a b) c) S 1 4711 4711 0 -1 4194304 1 2 3 4 250 150 9 9 20 0 8 0 12345 1 2";
    const auto usage = supervisor::parseUsage(stat, "1000 50 20 1 0 900 0");
    QCOMPARE(usage.cpuSeconds, 400.0 / static_cast<double>(::sysconf(_SC_CLK_TCK)));
    QCOMPARE(usage.residentBytes, std::int64_t{50} * ::sysconf(_SC_PAGESIZE));
    const auto none = supervisor::parseUsage("", "");
    QVERIFY(none.cpuSeconds == 0 && none.residentBytes == 0);
    const auto own = supervisor::usageOf({::getpid(), 0x3fffffff});
    QVERIFY(own.residentBytes > (1 << 20));
  }
};

LOCKSTEP_TEST(TstDeviceUse)
#include "tst_device_use.moc"
