#include <QTest>

#include "engine/base/error.h"
#include "engine/cli/device_list.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using cli::overridesOfDevices;

namespace {

const supervisor::Gpus kTwo{
    "580.65.06", {{0, "NVIDIA H200", "GPU-aaaa"}, {1, "NVIDIA H200", "GPU-abbb"}}, 13000};

using Words = std::vector<std::string>;

}  // namespace

class TstDeviceList : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aListBecomesOverrides() {
    const Words one{"runtime.device=cuda", "runtime.devices=[1]", "runtime.workers=0"};
    QCOMPARE(overridesOfDevices("1", false, kTwo), one);
    QCOMPARE(overridesOfDevices("GPU-abbb", false, kTwo), one);
    QCOMPARE(overridesOfDevices("GPU-ab", false, kTwo), one);
    QCOMPARE(overridesOfDevices("GPU-abbb, 0", true, kTwo),
             (Words{"runtime.device=cuda", "runtime.devices=[1, 0]"}));
    QCOMPARE(overridesOfDevices("cpu", false, {}),
             (Words{"runtime.device=cpu", "runtime.devices=[]"}));
  }

  void wrongListsAreOneLine_data() {
    QTest::addColumn<QString>("list");
    QTest::addColumn<QString>("words");
    const QString expected = QStringLiteral("expected cpu, or GPUs separated by commas");
    QTest::newRow("gap") << "0,,1" << expected;
    QTest::newRow("comma") << "," << expected;
    QTest::newRow("both kinds") << "0,cpu" << expected;
    const QString gpus =
        QStringLiteral("; the GPUs are 0 (NVIDIA H200, GPU-aaaa), 1 (NVIDIA H200, GPU-abbb)");
    for (const char* word : {"2", "-1", "99999999999999999999", "GPU-", "GPU-c", "x", "1.0"})
      QTest::newRow(word) << word << "no GPU '" + QString::fromUtf8(word) + '\'' + gpus;
  }
  void wrongListsAreOneLine() {
    QFETCH(QString, list);
    QFETCH(QString, words);
    try {
      overridesOfDevices(list.toStdString(), false, kTwo);
      QFAIL("accepted");
    } catch (const Error& error) {
      QCOMPARE(error.status(), ExitStatus::UserError);
      QCOMPARE(QString::fromUtf8(error.what()).left(11), QStringLiteral("--devices ") + list[0]);
      QVERIFY2(QString::fromUtf8(error.what()).contains(words), error.what());
    }
  }

  void withoutAGpuTheReasonIsSaid() {
    try {
      overridesOfDevices("0", false, {});
      QFAIL("accepted");
    } catch (const Error& error) {
      QCOMPARE(error.what(), "--devices 0: no NVIDIA driver found; GPUs need driver 580 or newer");
    }
  }
};

LOCKSTEP_TEST(TstDeviceList)
#include "tst_device_list.moc"
