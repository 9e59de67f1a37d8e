#include <sys/stat.h>

#include <QDir>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "app/command_line.h"
#include "engine/base/error.h"
#include "tests/app/made_run.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;

namespace {

struct Outcome {
  int status = -1;
  QByteArray out, err;
};

Outcome runLockstep(const QStringList& arguments) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.remove(QStringLiteral("QT_QPA_PLATFORM"));
  environment.insert(QStringLiteral("DISPLAY"), QString());  // as good as none
  environment.remove(QStringLiteral("WAYLAND_DISPLAY"));
  process.setProcessEnvironment(environment);
  // The window lists the runs of ./runs.
  const QTemporaryDir emptyFolder;
  process.setWorkingDirectory(emptyFolder.path());
  process.start(tests::program("lockstep"), arguments);
  process.waitForFinished(60000);
  return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
          process.readAllStandardOutput(), process.readAllStandardError()};
}

}  // namespace

class TstCommandLine : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void addressesOfOtherMachinesArePaths() {
    const app::CommandLine line = app::parseCommandLine(
        {QStringLiteral("ssh://ada@node7:22/runs/"), QStringLiteral("ssh://node7/~/run")});
    QCOMPARE(line.paths, (QStringList{QStringLiteral("ssh://ada@node7:22/runs"),
                                      QStringLiteral("ssh://node7/~/run")}));
  }

  /// Reading a pipe would never end.
  void settingsThatAreNoFileAreRefused_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("settings") << QStringLiteral("Lockstep/lockstep.conf");
    QTest::newRow("settings of all programs") << QStringLiteral("Lockstep.conf");
    QTest::newRow("notes on runs") << QStringLiteral("lockstep/notes.json");
  }
  void settingsThatAreNoFileAreRefused() {
    QFETCH(QString, name);
    const QTemporaryDir config;
    const QString file = config.filePath(name);
    QVERIFY(QDir().mkpath(QFileInfo(file).path()));
    QCOMPARE(::mkfifo(file.toLocal8Bit(), 0600), 0);
    const QByteArray before = qgetenv("XDG_CONFIG_HOME");
    qputenv("XDG_CONFIG_HOME", config.path().toLocal8Bit());
    const Outcome outcome =
        runLockstep({QStringLiteral("--screenshot"), config.filePath(QStringLiteral("a.png"))});
    if (before.isNull()) {
      qunsetenv("XDG_CONFIG_HOME");
    } else {
      qputenv("XDG_CONFIG_HOME", before);
    }
    QCOMPARE(outcome.status, 2);
    const QByteArray said = "lockstep: " + file.toLocal8Bit() + ": is a pipe";
    QVERIFY2(outcome.err.contains(said), outcome.err);
    QVERIFY2(outcome.err.contains("move it away"), outcome.err);
  }

  void badArgumentsAreNamed_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("named");
    auto row = [](const char* name, const QStringList& arguments, const QString& named) {
      QTest::newRow(name) << arguments << named;
    };
    row("no such page", {QStringLiteral("--page"), QStringLiteral("x")},
        QStringLiteral("--page x"));
    row("no such theme", {QStringLiteral("--theme"), QStringLiteral("pink")},
        QStringLiteral("--theme pink"));
    row("scale", {QStringLiteral("--scale"), QStringLiteral("0")}, QStringLiteral("--scale 0"));
    row("scale text", {QStringLiteral("--scale"), QStringLiteral("big")},
        QStringLiteral("--scale big"));
    row("size", {QStringLiteral("--size"), QStringLiteral("100")}, QStringLiteral("--size 100"));
    row("small size", {QStringLiteral("--size"), QStringLiteral("10x10")},
        QStringLiteral("--size 10x10"));
    row("picture", {QStringLiteral("--screenshot"), QStringLiteral("/tmp/a.jpg")},
        QStringLiteral(".png"));
    row("picture folder", {QStringLiteral("--screenshot"), QStringLiteral("/nowhere/a.png")},
        QStringLiteral("/nowhere"));
    row("no value", {QStringLiteral("--page")}, QStringLiteral("--page"));
    row("no such option", {QStringLiteral("--frobnicate")}, QStringLiteral("--frobnicate"));
    row("no such path", {QStringLiteral("/nowhere/run")}, QStringLiteral("/nowhere/run"));
    row("no path there", {QStringLiteral("ssh://node7")},
        QStringLiteral("ssh://node7: is not ssh://HOST/FOLDER"));
    row("an option for a host", {QStringLiteral("ssh://-oX/run")}, QStringLiteral("ssh://-oX/run"));
  }
  void badArgumentsAreNamed() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, named);
    try {
      app::parseCommandLine(arguments);
      QFAIL("not refused");
    } catch (const Error& error) {
      QCOMPARE(error.status(), ExitStatus::UserError);
      QVERIFY2(QString::fromUtf8(error.what()).contains(named), error.what());
    }
  }

  void goodArgumentsAreAccepted() {
    QTemporaryDir folder;
    const app::CommandLine line = app::parseCommandLine(
        {folder.path(), QStringLiteral("--page=monitor"), QStringLiteral("--theme"),
         QStringLiteral("dark"), QStringLiteral("--scale"), QStringLiteral("1.5"),
         QStringLiteral("--size"), QStringLiteral("1600x1000"), QStringLiteral("--screenshot"),
         folder.filePath(QStringLiteral("a.png"))});
    QCOMPARE(line.paths, QStringList{folder.path()});
    QVERIFY(line.page == app::Page::Monitor);
    QCOMPARE(line.theme, widgets::ThemeSwitch::Mode::Dark);
    QCOMPARE(line.scale, 1.5);
    QCOMPARE(line.size, QSize(1600, 1000));
  }

  void theProgramExitsWithStatusAndOneLine() {
    const Outcome bad = runLockstep({QStringLiteral("--page"), QStringLiteral("train")});
    QCOMPARE(bad.status, 2);
    QCOMPARE(bad.err.count('\n'), 1);
    QVERIFY(bad.err.startsWith("lockstep: --page train"));
    QCOMPARE(runLockstep({QStringLiteral("--version")}).out,
             QByteArray("lockstep " LOCKSTEP_VERSION "\n"));
    QCOMPARE(runLockstep({QStringLiteral("--help")}).status, 0);
  }

  void aScreenshotOfARunIsSavedWithoutADisplay() {
    QTemporaryDir folder;
    const QString run = tests::makeRun(folder.path(), {});
    const QString picture = folder.filePath(QStringLiteral("a.png"));
    const Outcome done =
        runLockstep({run, QStringLiteral("--page"), QStringLiteral("monitor"),
                     QStringLiteral("--theme"), QStringLiteral("dark"), QStringLiteral("--size"),
                     QStringLiteral("1200x800"), QStringLiteral("--screenshot"), picture});
    QVERIFY2(done.status == 0, done.err.constData());
    const QImage image(picture);
    QCOMPARE(image.size(), QSize(1200, 800));
    // The curve of the run is in the picture: pixels of the first run's colour in the first card.
    const QColor color = widgets::runStyle(0, widgets::darkTheme()).color;
    int found = 0;
    for (int y = 120; y < 400; ++y)
      for (int x = 300; x < 900; ++x)
        if (image.pixelColor(x, y) == color) ++found;
    QVERIFY2(found > 100, qPrintable(QString::number(found)));
  }
};

LOCKSTEP_TEST(TstCommandLine)
#include "tst_command_line.moc"
