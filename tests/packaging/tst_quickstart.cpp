// packaging/quickstart.sh and the build of packaging/lib.sh, with programs that are made up.
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTest>
#include <csignal>
#include <filesystem>

#include "engine/base/file_lock.h"
#include "tests/packaging/script_bench.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::ScriptBench;

namespace {

constexpr const char* kMarker = "build/quickstart/shapes/preparing.json";
constexpr const char* kScenes = "build/quickstart/shapes/annotations";

/// Ten steps for each program that is not there, each of which does what `compiler` says.
constexpr const char* kFakeCMake = R"(
[ "$1" != --preset ] || { echo "$*" >>configured; exit 0; }
dry='' targets='' all=0 step=0
for word; do
  case $word in -n) dry=1 ;; lockstep*) [ -e "build/bin/$word" ] || targets="$targets $word" all=$((all + 10)) ;; esac
done
mkdir -p build/bin
for target in $targets; do
  for part in 0 1 2 3 4 5 6 7 8 9; do
    step=$((step + 1))
    [ -n "$dry" ] || . ./compiler
    echo "[$step/$all] Building CXX object $target/$part.o"
  done
  [ -n "$dry" ] || { cp -p "programs/$target" build/bin/ && echo "built $target" >>said; }
done
)";

/// A process that waits, with its number in a file.
constexpr const char* kLongWork = "sleep 300 & echo $! >working; wait";

/// The script in a folder of its own, with a display.
struct QuickstartBench {
  ScriptBench bench;

  QuickstartBench() {
    for (const char* file : {"quickstart.sh", "lib.sh"})
      bench.write(std::string("packaging/") + file,
                  bench.read(tests::sourceFile(std::string("packaging/") + file)));
    bench.writeProgram("packaging/setup.sh", "mkdir -p build\n");
    bench.writeProgram(".venv/bin/cmake", kFakeCMake);
    bench.write("compiler", "");
    bench.writeProgram("programs/lockstep",
                       "echo \"window $*\" >>said\n"
                       "echo \"$QT_QPA_PLATFORM\" >>platforms\n");
    bench.writeProgram("programs/lockstep-worker", "exit 1\n");
    engineTrains("exit 0");
    bench.setVariable("DISPLAY", ":none");
  }
  void engineTrains(const std::string& how) {
    bench.writeProgram("programs/lockstep-engine",
                       "echo \"engine $1 $2\" >>said\n"
                       "case \"$1 $2\" in\n"
                       "'config shapes') echo 'name: shapes' ;;\n"
                       "'dataset import') mkdir -p \"$5\" && touch \"$5/experiment.yaml\" ;;\n"
                       "'dataset shapes') mkdir -p \"$4/train\" \"$4/val\" \"$4/annotations\" ;;\n"
                       "train*) " +
                           how + " ;;\nesac\n");
  }
  /// A window that stays until the file `close` is there.
  void windowStays() {
    bench.writeProgram("programs/lockstep",
                       "echo \"window $*\" >>said\n"
                       "trap 'echo ended >>said; exit 143' TERM\n"
                       "while [ ! -e close ]; do sleep 0.05; done\n"
                       "echo closed >>said\n");
  }
  ScriptBench::ProcessResult run(const QStringList& words = {}) const {
    return bench.run("bash", QStringList{"packaging/quickstart.sh"} + words);
  }
  /// In a session of its own, as in a terminal.
  std::unique_ptr<QProcess> start(const QStringList& words = {}) const {
    return bench.start("setsid", QStringList{"bash", "packaging/quickstart.sh"} + words);
  }
  static void pressControlC(const QProcess& script) {
    ::kill(static_cast<pid_t>(-script.processId()), SIGINT);
  }
  bool hasSaid(const std::string& what) const { return contains(bench.read("said"), what); }
};

}  // namespace

class TstQuickstart : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theAppOpensBeforeTheWorkerIsBuilt() {
    const QuickstartBench quickstart;
    quickstart.bench.write("compiler",
                           "[ $target != lockstep-worker ] || until grep -q window said; do sleep "
                           "0.05; done\n");
    const auto ended = quickstart.run();
    QVERIFY2(ended.status == 0, ended.err.c_str());
    QCOMPARE(quickstart.bench.read("said"),
             std::string("built lockstep\n"
                         "built lockstep-engine\n"
                         "engine config shapes\n"
                         "window build/quickstart/shapes/experiment.yaml\n"
                         "built lockstep-worker\n"
                         "engine dataset shapes\n"));
    QCOMPARE(quickstart.bench.read("build/quickstart/shapes/experiment.yaml"),
             std::string("name: shapes\n"));
    QVERIFY(quickstart.bench.has(kScenes));
    QVERIFY(!quickstart.bench.has(kMarker));
    // All is there: the window alone.
    QCOMPARE(quickstart.run().status, 0);
    QVERIFY(quickstart.bench.read("said").ends_with(
        "engine dataset shapes\nwindow build/quickstart/shapes/experiment.yaml\n"));
  }

  void theWindowIsToldHowFarItIs() {
    QuickstartBench quickstart;
    quickstart.windowStays();
    quickstart.bench.write(
        "compiler",
        "[ $target$part != lockstep-worker5 ] || while [ ! -e go ]; do sleep 0.05; done\n");
    const auto script = quickstart.start();
    QTRY_VERIFY(contains(quickstart.bench.read(kMarker), R"("stage": "building", "percent": 4)"));
    QVERIFY(base::FileLock::isHeld(quickstart.bench.folder() / kMarker));
    quickstart.bench.write("go", "");
    QTRY_VERIFY(!quickstart.bench.has(kMarker));
    QVERIFY(quickstart.bench.has(kScenes));
    quickstart.bench.write("close", "");
    const auto ended = ScriptBench::finish(*script);
    QVERIFY2(ended.status == 0, ended.err.c_str());
  }

  void aClosedWindowLeavesTheBuildGoing() {
    const QuickstartBench quickstart;
    quickstart.bench.write("compiler", "[ $target != lockstep-worker ] || sleep 0.05\n");
    const auto ended = quickstart.run();
    QVERIFY2(ended.status == 0, ended.err.c_str());
    QVERIFY(quickstart.bench.has(kScenes));
    QVERIFY2(contains(ended.err, "quickstart.sh opens the app again"), ended.err.c_str());
  }

  void oneLineStandsForTheCompiler() {
    const QuickstartBench quickstart;
    const auto ended = quickstart.run({"--headless"});
    QVERIFY2(ended.status == 0, ended.err.c_str());
    QCOMPARE(QString::fromStdString(ended.err).count(
                 QRegularExpression(QStringLiteral("building: \\d+ %, about .* left\n"))),
             9);
    QVERIFY2(!contains(ended.err, "Building CXX object"), ended.err.c_str());
    QVERIFY(contains(quickstart.bench.read("build/build.log"), "[30/30] Building CXX object"));
    QVERIFY(!quickstart.hasSaid("window build/"));
  }

  void foldersOfTheSameNameAreKeptApart() {
    const QuickstartBench quickstart;
    for (const char* file : {"a/shapes/x.json", "b/shapes/x.json"}) {
      quickstart.bench.write(file, "");
      const std::filesystem::path data = quickstart.bench.folder() / file;
      const auto ended = quickstart.run(
          {"--headless", "--data", QString::fromStdString(data.parent_path().string())});
      QVERIFY2(ended.status == 0, ended.err.c_str());
    }
    QCOMPARE(quickstart.run({"--headless"}).status, 0);
    const std::string said = quickstart.bench.read("said");
    QCOMPARE(QString::fromStdString(said).count(QStringLiteral("engine dataset import")), 2);
    QVERIFY(contains(said, "engine dataset shapes"));
    const QRegularExpression run(
        QStringLiteral("engine evaluate (runs/quickstart-(\\d+-)?shapes)\n"));
    QSet<QString> runs;
    for (auto match = run.globalMatch(QString::fromStdString(said)); match.hasNext();)
      runs.insert(match.next().captured(1));
    QCOMPARE(runs.size(), 3);
  }

  void dataAreThoseOfTheCallersFolder_data() {
    QTest::addColumn<QString>("data");
    QTest::newRow("a folder") << "my data";
    QTest::newRow("a file") << "my data/x.json";
  }
  void dataAreThoseOfTheCallersFolder() {
    QFETCH(QString, data);
    const QuickstartBench quickstart;
    quickstart.bench.write("elsewhere/my data/x.json", "");
    const auto ended = quickstart.bench.run(
        "sh",
        {"-c", "cd elsewhere && exec bash ../packaging/quickstart.sh --headless --data \"$0\"",
         data});
    QVERIFY2(ended.status == 0, ended.err.c_str());
    QVERIFY(quickstart.hasSaid("engine dataset import"));
  }

  void aDatasetThatCannotBeImportedIsSaid() {
    const QuickstartBench quickstart;
    quickstart.bench.writeProgram("programs/lockstep-engine", "exit 2\n");
    quickstart.bench.write("data/x.txt", "");
    const auto ended = quickstart.run({"--headless", "--data", "data"});
    QCOMPARE(ended.status, 1);
    QVERIFY2(contains(ended.err, "dataset import --help has options"), ended.err.c_str());
  }

  void aDatasetThatIsNotThereIsSaid() {
    const QuickstartBench quickstart;
    const auto ended = quickstart.run({"--data", "none"});
    QCOMPARE(ended.status, 1);
    QVERIFY2(contains(ended.err, "--data none: no such folder or file"), ended.err.c_str());
    QVERIFY(!quickstart.bench.has("build"));
  }

  void helpOfAllScriptsBuildsNothing_data() {
    QTest::addColumn<QString>("script");
    for (const char* script :
         {"quickstart.sh", "setup.sh", "test.sh", "build_headless.sh", "gpu_check.sh"})
      QTest::newRow(script) << script;
  }
  void helpOfAllScriptsBuildsNothing() {
    QFETCH(QString, script);
    const ScriptBench bench;
    const QString file = QStringLiteral("packaging/") + script;
    for (const std::string& one : {file.toStdString(), std::string("packaging/lib.sh"),
                                   std::string("packaging/versions.sh")})
      bench.write(one, bench.read(tests::sourceFile(one)));
    const auto ended = bench.run("bash", {file, "--help"});
    QVERIFY2(ended.status == 0, ended.err.c_str());
    QVERIFY2(contains(ended.out, "\n  packaging/" + script.toStdString()), ended.out.c_str());
    QVERIFY2(!contains(ended.out, "set -"), ended.out.c_str());
    QVERIFY(!bench.has("build"));
  }

  /// CMake refuses the cache of another folder, and keeps the options of another preset.
  void theCacheOfAnotherFolderOrPresetIsNotUsed_data() {
    QTest::addColumn<QString>("before");
    QTest::addColumn<bool>("isFresh");
    QTest::newRow("the same") << "%1 %2\n" << false;
    QTest::newRow("the checkout was moved") << "%1 %2/before\n" << true;
    QTest::newRow("another preset") << "asan %2\n" << true;
    QTest::newRow("none") << "" << true;
  }
  void theCacheOfAnotherFolderOrPresetIsNotUsed() {
    QFETCH(QString, before);
    QFETCH(bool, isFresh);
    const QuickstartBench quickstart;
    QCOMPARE(quickstart.run({"--headless"}).status, 0);
    const std::string stamp = quickstart.bench.read("build/preset");
    const std::size_t blank = stamp.find(' ');
    before.replace(QLatin1String("%1"), QString::fromStdString(stamp.substr(0, blank)));
    const std::filesystem::path folder = stamp.substr(blank + 1, stamp.size() - blank - 2);
    QCOMPARE(folder, std::filesystem::canonical(quickstart.bench.folder()));
    before.replace(QLatin1String("%2"), QString::fromStdString(folder.string()));
    quickstart.bench.write("build/preset", before.toStdString());
    quickstart.bench.write("configured", "");
    QCOMPARE(quickstart.run({"--headless"}).status, 0);
    const std::string configured = quickstart.bench.read("configured");
    QVERIFY2(contains(configured, "--fresh") == isFresh, configured.c_str());
    QCOMPARE(quickstart.bench.read("build/preset"), stamp);
  }

  void picturesOfAHeadlessRunNeedNoDisplay() {
    QuickstartBench quickstart;
    quickstart.bench.setVariable("QT_QPA_PLATFORM", "xcb");
    QCOMPARE(quickstart.run({"--headless"}).status, 0);
    QCOMPARE(quickstart.bench.read("platforms"), std::string("offscreen\noffscreen\n"));
  }

  /// A build may take half an hour.
  void wrongOptionsOfTheTestsAreRefusedBeforeTheBuild_data() {
    QTest::addColumn<QString>("ctest");
    QTest::addColumn<QString>("reason");
    QTest::newRow("not an option of ctest") << "exit 1"
                                            << "ctest refuses these options: -R x -LE";
    QTest::newRow("no test") << "echo 'Total Tests: 0'"
                             << "no test matches -R x -LE ^long$";
    QTest::newRow("some") << "echo 'Total Tests: 10'"
                          << "";
  }
  void wrongOptionsOfTheTestsAreRefusedBeforeTheBuild() {
    QFETCH(QString, ctest);
    QFETCH(QString, reason);
    const QuickstartBench quickstart;
    quickstart.bench.write("packaging/test.sh",
                           quickstart.bench.read(tests::sourceFile("packaging/test.sh")));
    quickstart.bench.writeProgram(".venv/bin/ctest", ctest.toStdString() + "\n");
    const auto ended = quickstart.bench.run("bash", {"packaging/test.sh", "-R", "x"});
    QCOMPARE(ended.status, reason.isEmpty() ? 0 : 1);
    QVERIFY2(contains(ended.err, reason.toStdString()), ended.err.c_str());
    QCOMPARE(quickstart.bench.has("build/build.log"), reason.isEmpty());
  }

  void allIsFoundAmongTheOtherOptionsOfTheTests() {
    const QuickstartBench quickstart;
    quickstart.bench.write("packaging/test.sh",
                           quickstart.bench.read(tests::sourceFile("packaging/test.sh")));
    quickstart.bench.writeProgram(".venv/bin/ctest",
                                  "echo \"ctest $* long=$LOCKSTEP_LONG_TESTS\" >>said\n");
    const auto ended =
        quickstart.bench.run("bash", {"packaging/test.sh", "-LE", "gui", "-R", "x", "--all"});
    QVERIFY2(ended.status == 0, ended.err.c_str());
    const std::string said = quickstart.bench.read("said");
    QVERIFY2(contains(said, "-R x -LE gui long=1"), said.c_str());
    QVERIFY2(!contains(said, "^long$"), said.c_str());
  }

  void aFailedBuildSaysItsErrors() {
    const QuickstartBench quickstart;
    quickstart.bench.write(
        "compiler", "[ $step != 15 ] || { echo 'a.cpp:1: error: no such thing'; exit 1; }\n");
    const auto ended = quickstart.run({"--headless"});
    QCOMPARE(ended.status, 1);
    QVERIFY2(contains(ended.err, "from build/build.log:\na.cpp:1: error: no such thing\n"),
             ended.err.c_str());
    QVERIFY2(!contains(ended.err, "Building CXX object"), ended.err.c_str());
    QVERIFY2(!contains(ended.err, "full"), ended.err.c_str());
  }

  void afterAFailureTheWindowStaysAndKnows() {
    QuickstartBench quickstart;
    quickstart.windowStays();
    quickstart.bench.write("compiler", "[ $target != lockstep-worker ] || exit 1\n");
    const auto script = quickstart.start();
    QTRY_VERIFY(quickstart.bench.has(kMarker));
    QTRY_VERIFY(!base::FileLock::isHeld(quickstart.bench.folder() / kMarker));
    QCOMPARE(script->state(), QProcess::Running);
    quickstart.bench.write("close", "");
    QCOMPARE(ScriptBench::finish(*script).status, 1);
    QVERIFY(quickstart.bench.has(kMarker));
  }

  void aFullDiskIsSaid() {
    const QuickstartBench quickstart;
    quickstart.bench.write("compiler",
                           "[ $step != 15 ] || { echo 'fatal error: error writing: No space left "
                           "on device'; exit 1; }\n");
    const auto ended = quickstart.run({"--headless"});
    QCOMPARE(ended.status, 1);
    QVERIFY2(contains(ended.err, "A disk was full"), ended.err.c_str());
  }

  void controlCEndsAllAndTheNextStartGoesOn_data() {
    QTest::addColumn<QString>("where");
    QTest::newRow("installing") << "installing";
    QTest::newRow("compiling") << "compiling";
    QTest::newRow("training") << "training";
  }
  void controlCEndsAllAndTheNextStartGoesOn() {
    QFETCH(QString, where);
    QuickstartBench quickstart;
    const std::string work = kLongWork;
    if (where == QLatin1String("installing"))
      quickstart.bench.writeProgram("packaging/setup.sh",
                                    "trap 'kill $!; exit 130' INT\n" + work + "\n");
    if (where == QLatin1String("compiling"))
      quickstart.bench.write(
          "compiler",
          // Ends before one of its children does, like cmake before ninja.
          "[ $step != 15 ] || { trap 'kill $!; sleep 0.5 & exit 130' INT; " + work + "; }\n");
    if (where == QLatin1String("training"))
      quickstart.engineTrains("trap 'kill $!; exit 0' INT; " + work);
    const auto script = quickstart.start({"--headless"});
    QTRY_VERIFY(!quickstart.bench.read("working").empty());
    const pid_t working = std::stoi(quickstart.bench.read("working"));
    QuickstartBench::pressControlC(*script);
    const auto ended = ScriptBench::finish(*script);
    QCOMPARE(ended.status, 130);
    QVERIFY2(contains(ended.err, "interrupted. Run it again: it continues where it stopped"),
             ended.err.c_str());
    QTRY_VERIFY(::kill(working, 0) != 0);
    QVERIFY(!base::FileLock::isHeld(quickstart.bench.folder() / "build/lock"));
    QVERIFY(!quickstart.hasSaid("evaluate"));

    quickstart.bench.writeProgram("packaging/setup.sh", "mkdir -p build\n");
    quickstart.bench.write("compiler", "");
    quickstart.engineTrains("exit 0");
    std::filesystem::remove(quickstart.bench.folder() / "build/bin/lockstep-engine");
    const auto again = quickstart.run({"--headless"});
    QVERIFY2(again.status == 0, again.err.c_str());
    QVERIFY(quickstart.hasSaid("evaluate"));
  }

  void controlCEndsTheWindowToo() {
    QuickstartBench quickstart;
    quickstart.windowStays();
    quickstart.bench.write("compiler", "[ $target$part != lockstep-worker5 ] || sleep 300\n");
    const auto script = quickstart.start();
    QTRY_VERIFY(quickstart.hasSaid("window"));
    QuickstartBench::pressControlC(*script);
    QCOMPARE(ScriptBench::finish(*script).status, 130);
    QVERIFY(quickstart.bench.read("said").ends_with("ended\n"));
    QVERIFY(!base::FileLock::isHeld(quickstart.bench.folder() / kMarker));
  }

  void aWindowThatFailsIsReported() {
    const QuickstartBench quickstart;
    quickstart.bench.writeProgram("programs/lockstep", "exit 3\n");
    // Twice: while the worker is built, and with all built.
    for (int time = 0; time < 2; ++time) {
      const auto ended = quickstart.run();
      QCOMPARE(ended.status, 3);
      QVERIFY2(contains(ended.err, "the app ended with status 3"), ended.err.c_str());
      QVERIFY2(contains(ended.err, "--headless needs no display"), ended.err.c_str());
    }
  }

  void aKilledScriptLeavesNoLockedMarker() {
    QuickstartBench quickstart;
    quickstart.windowStays();
    quickstart.bench.write(
        "compiler",
        "[ $target$part != lockstep-worker5 ] || while [ ! -e go ]; do sleep 0.05; done\n");
    const auto script = quickstart.start();
    QTRY_VERIFY(contains(quickstart.bench.read(kMarker), R"("percent": 4)"));
    QTRY_VERIFY(quickstart.hasSaid("window"));
    ::kill(static_cast<pid_t>(script->processId()), SIGKILL);
    QTRY_VERIFY(!base::FileLock::isHeld(quickstart.bench.folder() / kMarker));
    const auto second = quickstart.run({"--headless"});
    QCOMPARE(second.status, 1);
    QVERIFY2(contains(second.err, "another script of packaging/ is building"), second.err.c_str());
    quickstart.bench.write("go", "");
    quickstart.bench.write("close", "");
    QTRY_VERIFY(!base::FileLock::isHeld(quickstart.bench.folder() / "build/lock"));
  }

  /// By a script that was killed.
  void whatWasLeftHalfDoneIsDoneAgain() {
    const QuickstartBench quickstart;
    quickstart.bench.write("build/quickstart/shapes/experiment.yaml", "name: edited\n");
    quickstart.bench.write(kMarker, "{}");
    quickstart.bench.write("build/quickstart/shapes/train/half.jpg", "");
    quickstart.bench.write("build/quickstart/shapes/.made.partial-7/train/half.jpg", "");
    const auto ended = quickstart.run({"--headless"});
    QVERIFY2(ended.status == 0, ended.err.c_str());
    QVERIFY(quickstart.bench.has(kScenes));
    QVERIFY(!quickstart.bench.has(kMarker));
    QVERIFY(!quickstart.bench.has("build/quickstart/shapes/train/half.jpg"));
    QVERIFY(!quickstart.bench.has("build/quickstart/shapes/.made.partial-7"));
    QCOMPARE(quickstart.bench.read("build/quickstart/shapes/experiment.yaml"),
             std::string("name: edited\n"));
  }
};

LOCKSTEP_TEST(TstQuickstart)
#include "tst_quickstart.moc"
