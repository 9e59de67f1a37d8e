// Who has which device of this machine, what the running runs use, and who waits.
#include <QTest>

#include "app/frame/device_use.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::DeviceUse;
using app::Inspected;

namespace {

QString partOf(const Inspected& thing, const QString& name) {
  for (const Inspected& part : thing.parts)
    if (part.name == name) return part.value;
  return {};
}

}  // namespace

class TstDeviceUse : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void freeDevicesAndAnEmptyQueueAreSaid() {
    DeviceUse use;
    use.isRead = true;
    const auto things = app::inspectedDevices(use, {});
    QCOMPARE(things.size(), std::size_t{2});
    QCOMPARE(things[0].value, QStringLiteral("All are free"));
    QCOMPARE(things[1].value, QStringLiteral("No run is queued"));
  }

  void whatCouldNotBeReadIsNotSaidToBeFree() {
    DeviceUse use;
    for (const char* fault : {"", "no permission"}) {
      use.fault = QString::fromLatin1(fault);
      const auto things = app::inspectedDevices(use, {});
      QVERIFY(things[0].value.isEmpty() && things[1].value.isEmpty());
      QCOMPARE(partOf(things[0], QStringLiteral("Not read")), use.fault);
    }
  }

  void aDeviceNamesTheRunThatHasIt() {
    DeviceUse use;
    use.busy = {{{"GPU-1", "GPU 0 (NVIDIA H200)"}, {{"/runs/a", 7, "", ""}}}, {queue::kCpu, {}}};
    use.waiting = {{"/runs/b", {"cpu"}, 0, 8}, {"/runs/c", {"cpu"}, 0, 9}};
    const auto things =
        app::inspectedDevices(use, {{QStringLiteral("first"), QStringLiteral("/runs/a")}});
    QCOMPARE(partOf(things[0], QStringLiteral("GPU 0 (NVIDIA H200)")),
             QStringLiteral("first (pid 7)"));
    QCOMPARE(partOf(things[0], QStringLiteral("the CPU")), QStringLiteral("in use"));
    QCOMPARE(partOf(things.back(), QStringLiteral("Place 1")), QStringLiteral("/runs/b"));
    QCOMPARE(partOf(things.back(), QStringLiteral("Place 2")), QStringLiteral("/runs/c"));
  }

  void aRunsFiguresAreThoseThatItRecords() {
    app::Facts facts;
    facts.metrics = {{QStringLiteral("system/cpu_percent"), 93.4},
                     {QStringLiteral("system/gpu1/memory_gib"), 61.25},
                     {QStringLiteral("system/gpu1/power_watts"), 640.2},
                     {QStringLiteral("system/gpu1/temperature_celsius"), 71},
                     {QStringLiteral("system/gpu1/utilisation_percent"), 87}};
    const auto things =
        app::inspectedDevices({}, {{QStringLiteral("first"), QStringLiteral("/runs/a"), &facts},
                                   {QStringLiteral("second"), QStringLiteral("/runs/b")}});
    QCOMPARE(partOf(things[1], QStringLiteral("CPU")), QStringLiteral("93 % of its cores"));
    QCOMPARE(partOf(things[1], QStringLiteral("GPU 1")),
             QStringLiteral("87 %, 61.3 GiB, 71 °C, 640 W"));
    QVERIFY(partOf(things[1], QStringLiteral("GPU 0")).isEmpty());
    QVERIFY(things[2].parts.empty());
  }
};

LOCKSTEP_TEST(TstDeviceUse)
#include "tst_device_use.moc"
