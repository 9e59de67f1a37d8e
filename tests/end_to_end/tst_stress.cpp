#include <QProcess>
#include <QTest>

#include "tests/support/long_tests.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;

/// The scripts in tests/stress, which are run by hand with many trials: a long form, and a short
/// one in which each disturbance happens at least once.
class TstStress : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aDisturbedRunEndsBitIdentically_data() {
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("options");
    QTest::addColumn<int>("trials");
    const bool isLong = tests::runsLongTests();
    // With these seeds the disturbances come between the first checkpoint and the last.
    QTest::newRow("killed twice") << "kill_and_resume.py"
                                  << (isLong ? "--kills 2"
                                             : "--kills 2 --seed 275 --set solver.max_steps=12")
                                  << (isLong ? 2 : 1);
    // A rank that is started again was killed; tst_bad_images.cpp has images that cannot be read.
    QTest::newRow(isLong ? "one of two ranks is killed, stopped, fails, is started again"
                         : "one of two ranks is stopped, is started again")
        << "many_ranks.py"
        << (isLong ? "--ranks 2 --set solver.max_steps=8"
                   : "--ranks 2 --set solver.max_steps=12 --seed 501 --way stop --way restart")
        << (isLong ? 4 : 2);
  }
  void aDisturbedRunEndsBitIdentically() {
    QFETCH(QString, script);
    QFETCH(QString, options);
    QFETCH(int, trials);
    if (tests::python().isEmpty()) QSKIP("needs Python: packaging/setup.sh --dev");
    const auto file = tests::sourceFolder() / "tests/stress" / script.toStdString();
    const auto build = std::filesystem::path(tests::program("lockstep-engine").toStdString())
                           .parent_path()
                           .parent_path();
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(tests::python(),
                  QStringList{QString::fromStdString(file.string()), QStringLiteral("--build"),
                              QString::fromStdString(build.string()), QStringLiteral("--trials"),
                              QString::number(trials)} +
                      options.split(QLatin1Char(' ')));
    QVERIFY(process.waitForFinished(600000));
    const QByteArray said = process.readAll();
    QVERIFY2(process.exitCode() == 0, said.constData());
    QVERIFY2(said.count(": the same") == trials, said.constData());
  }

  void aDisturbedServerAnswersRight_data() {
    QTest::addColumn<QString>("options");
    QTest::newRow("killed workers and new bests")
        << (tests::runsLongTests() ? "--seconds 60 --kill-every 10 --best-every 7 --ping-ms 2000"
                                   : "--seconds 12 --kill-every 5 --best-every 3 --ping-ms 2000");
    QTest::newRow("nonsense") << (tests::runsLongTests() ? "--fuzz --seconds 18 --ping-ms 5000"
                                                         : "--fuzz --seconds 6 --ping-ms 5000");
  }
  void aDisturbedServerAnswersRight() {
    QFETCH(QString, options);
    if (tests::python().isEmpty()) QSKIP("needs Python: packaging/setup.sh --dev");
    const auto file = tests::sourceFolder() / "tests/stress/serve.py";
    const auto build = std::filesystem::path(tests::program("lockstep-engine").toStdString())
                           .parent_path()
                           .parent_path();
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(tests::python(),
                  QStringList{QString::fromStdString(file.string()), QStringLiteral("--build"),
                              QString::fromStdString(build.string())} +
                      options.split(u' '));
    QVERIFY(process.waitForFinished(300000));
    QVERIFY2(process.exitCode() == 0, process.readAll().constData());
  }
};

LOCKSTEP_TEST(TstStress)
#include "tst_stress.moc"
