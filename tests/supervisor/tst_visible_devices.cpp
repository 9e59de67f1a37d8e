#include <QTest>

#include "engine/base/host.h"
#include "engine/supervisor/devices.h"
#include "engine/supervisor/machine.h"
#include "tests/support/test_main.h"

using namespace lockstep::supervisor;

class TstVisibleDevices : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void variableSelectsAsCudaDoes_data() {
    QTest::addColumn<QString>("visible");
    QTest::addColumn<QString>("indices");
    QTest::newRow("none") << ""
                          << "";
    QTest::newRow("all") << "0,1,2"
                         << "0 1 2 ";
    QTest::newRow("order") << "2,0"
                           << "2 0 ";
    QTest::newRow("blanks") << "0, 1"
                            << "0 1 ";
    QTest::newRow("up to the first that is none") << "1,7,0"
                                                  << "1 ";
    QTest::newRow("minus one") << "-1"
                               << "";
    QTest::newRow("by name") << "GPU-bbbb"
                             << "1 ";
    QTest::newRow("words") << "NoDevFiles"
                           << "";
  }
  void variableSelectsAsCudaDoes() {
    QFETCH(QString, visible);
    QFETCH(QString, indices);
    const std::vector<GpuDevice> devices{
        {0, "A", "GPU-aaaa-1", 1, 1}, {1, "B", "GPU-bbbb-2", 1, 1}, {2, "C", "GPU-cccc-3", 1, 1}};
    QString chosen;
    for (const GpuDevice& device : visibleDevices(devices, visible.toStdString())) {
      chosen += QString::number(device.index) + QLatin1Char(' ');
    }
    QCOMPARE(chosen, indices);
  }

  void machineHasCoresAndMemory() {
    QVERIFY(usableCores() >= 1);
    QVERIFY(usableMemoryBytes() > (std::int64_t{1} << 28));
    QVERIFY(!lockstep::base::hostName().empty());
  }
};

LOCKSTEP_TEST(TstVisibleDevices)
#include "tst_visible_devices.moc"
