#include <QProcess>
#include <QTest>

#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;

/// A short form of tests/stress/kill_and_resume.py, which is run by hand with 20 kills and more.
class TstKillAndResume : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aKilledRunEndsAsIfNothingHadHappened() {
    if (tests::python().isEmpty()) QSKIP("needs Python: packaging/setup.sh --dev");
    const auto script = tests::sourceFolder() / "tests/stress/kill_and_resume.py";
    const auto build = std::filesystem::path(tests::program("lockstep-engine").toStdString())
                           .parent_path()
                           .parent_path();
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(tests::python(),
                  {QString::fromStdString(script.string()), QStringLiteral("--build"),
                   QString::fromStdString(build.string()), QStringLiteral("--trials"),
                   QStringLiteral("2"), QStringLiteral("--kills"), QStringLiteral("2")});
    QVERIFY(process.waitForFinished(600000));
    const QByteArray said = process.readAll();
    QVERIFY2(process.exitCode() == 0, said.constData());
    QVERIFY(said.count(": the same") == 2);
  }
};

LOCKSTEP_TEST(TstKillAndResume)
#include "tst_kill_and_resume.moc"
