// packaging/setup.sh with made-up apt-get, dpkg-query and pip.
#include <QProcess>
#include <QTest>
#include <filesystem>
#include <sstream>

#include "engine/base/file_lock.h"
#include "tests/packaging/script_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::ScriptBench;

namespace {

constexpr const char* kHeldLists =
    "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)";
constexpr const char* kHeldFrontend =
    "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process "
    "using it?";

/// The set-up script in a folder of its own; whatever it installs is there, but for system packages
/// that `dpkg-query` does not list.
struct SetUp {
  ScriptBench bench;

  SetUp() {
    for (const char* file : {"setup.sh", "lib.sh", "versions.sh"})
      bench.write(std::string("packaging/") + file,
                  bench.read(tests::sourceFile(std::string("packaging/") + file)));
    bench.write("packaging/apt-packages.txt", "here\nwanted\n");
    for (const char* venv :
         {".venv", ".venv/checkers/kubernetes", ".venv/checkers/kserve", ".venv/checkers/training",
          ".venv/checkers/pipelines", ".venv/checkers/triton"}) {
      bench.writeProgram(std::string(venv) + "/bin/python", "exit 0\n");
      bench.write(
          std::string(venv) + "/bin/pip",
          "#!" + (std::filesystem::canonical(bench.folder()) / venv / "bin/python").string());
      bench.write(std::string(venv) + "/installed-before", "");
    }
    bench.writeProgram("bin/sleep", "echo pause >> pauses\n");
    bench.writeProgram("bin/id", "echo 0\n");
    installed("installed here, \n");
    bench.setVariable("PATH",
                      (bench.folder() / "bin").string() + ":" + qgetenv("PATH").toStdString());
  }
  void installed(const std::string& packages) {
    bench.write("packages", packages);
    bench.writeProgram("bin/dpkg-query", "cat packages\n");
  }
  /// apt-get fails `times` with the text, then works.
  void aptFails(int times, const std::string& text) {
    bench.write("fault", text + "\n");
    bench.writeProgram("bin/apt-get", "echo \"$*\" >> calls\n[ $(wc -l < calls) -gt " +
                                          std::to_string(times) +
                                          " ] || { cat fault >&2; exit 100; }\n");
  }
  /// Of .venv/, whose installations are listed in `pips`.
  void pipDoes(const std::string& how) {
    bench.writeProgram(".venv/bin/python",
                       "[ \"$3\" = --version ] || { echo \"$*\" >>pips\n" + how + "\n}\n");
  }
  ScriptBench::ProcessResult run() { return bench.run("bash", {"packaging/setup.sh"}); }
  std::size_t linesOf(const std::string& file) const {
    const std::string text = bench.read(file);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
};

}  // namespace

class TstSetup : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// dpkg never lists a name that is only provided: it would be missing for ever.
  void everyNamedPackageIsOneOfThisRelease() {
    QFile release(QStringLiteral("/etc/os-release"));
    if (!release.open(QIODevice::ReadOnly) || !release.readAll().contains("VERSION_ID=\"12\""))
      QSKIP("the names are those of Debian 12");
    ScriptBench bench;
    std::istringstream names(bench.read(tests::sourceFile("packaging/apt-packages.txt")));
    for (std::string name; std::getline(names, name);) {
      const auto query = bench.run(
          "dpkg-query", {"-W", "-f", "${db:Status-Status}", QString::fromStdString(name)});
      QVERIFY2(query.out == "installed", name.c_str());
    }
  }

  void installedPackagesAreNotRequestedAgain_data() {
    QTest::addColumn<QString>("packages");
    QTest::newRow("packages") << "installed here, \ninstalled wanted, \n";
    QTest::newRow("a name that another provides")
        << "installed here, \ninstalled other, more, wanted (= 6.4.2), some:any\n";
  }
  void installedPackagesAreNotRequestedAgain() {
    QFETCH(QString, packages);
    SetUp setUp;
    setUp.installed(packages.toStdString());
    setUp.aptFails(1000, "E: not to be called");
    const auto ended = setUp.run();
    QVERIFY2(ended.status == 0, ended.err.c_str());
    QVERIFY(!setUp.bench.has("calls"));
  }

  void onlyMissingPackagesAreInstalled() {
    SetUp setUp;
    setUp.installed("installed here, \nconfig-files wanted, \n");
    setUp.aptFails(0, "");
    const auto ended = setUp.run();
    QVERIFY2(ended.status == 0, ended.err.c_str());
    const std::string calls = setUp.bench.read("calls");
    QVERIFY2(calls.find("update\n") != std::string::npos, calls.c_str());
    QVERIFY2(calls.find("install -y --no-install-recommends wanted\n") != std::string::npos,
             calls.c_str());
  }

  void onlyTheTestsNeedAnSshd() {
    SetUp setUp;
    setUp.installed("installed here, \ninstalled wanted, \n");
    setUp.aptFails(0, "");
    QCOMPARE(setUp.run().status, 0);
    QVERIFY(!setUp.bench.has("calls"));
    const auto ended = setUp.bench.run("bash", {"packaging/setup.sh", "--dev"});
    QVERIFY2(ended.status == 0, ended.err.c_str());
    const std::string calls = setUp.bench.read("calls");
    QVERIFY2(calls.find(" openssh-server\n") != std::string::npos, calls.c_str());
  }

  void anotherAptIsWaitedFor_data() {
    QTest::addColumn<QString>("words");
    QTest::newRow("lists") << kHeldLists;
    QTest::newRow("dpkg") << kHeldFrontend;
    QTest::newRow("older words") << "E: Could not get lock /var/lib/dpkg/lock - open (11: Resource "
                                    "temporarily unavailable)";
  }
  void anotherAptIsWaitedFor() {
    QFETCH(QString, words);
    SetUp setUp;
    setUp.aptFails(3, words.toStdString());
    const auto ended = setUp.run();
    QVERIFY2(ended.status == 0, ended.err.c_str());
    QCOMPARE(setUp.linesOf("pauses"), std::size_t{3});
    QCOMPARE(setUp.linesOf("calls"), std::size_t{5});  // three refused, update, install
    const auto said = ended.err.find("another program has apt's locks");
    QVERIFY2(said != std::string::npos, ended.err.c_str());
    QVERIFY2(ended.err.find("another program", said + 1) == std::string::npos, "once is enough");
  }

  void otherFailuresEndImmediately() {
    SetUp setUp;
    // Words of a wait that went well stand before it.
    setUp.aptFails(1000,
                   "Waiting for cache lock: Could not get lock x. It is held by process 7\n"
                   "E: Failed to fetch http://deb.example/: 404");
    const auto ended = setUp.run();
    QCOMPARE(ended.status, 1);
    QCOMPARE(setUp.linesOf("calls"), std::size_t{1});
    QVERIFY2(ended.err.find("404") != std::string::npos, ended.err.c_str());
  }

  void anInterruptedAptIsFinished() {
    SetUp setUp;
    setUp.aptFails(1,
                   "E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to "
                   "correct the problem.");
    setUp.bench.writeProgram("bin/dpkg", "echo \"dpkg $*\" >>calls\n");
    const auto ended = setUp.run();
    QVERIFY2(ended.status == 0, ended.err.c_str());
    const std::string calls = setUp.bench.read("calls");
    QVERIFY2(calls.find("dpkg --configure -a\n") != std::string::npos, calls.c_str());
  }

  void whatAFailureNeedsIsSaid_data() {
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("advice");
    QTest::newRow("no network")
        << "ProxyError('Cannot connect to proxy.', NewConnectionError('Connection refused'))"
        << "The network cannot be reached (proxy: http://127.0.0.1:9)";
    QTest::newRow("full disk") << "OSError: [Errno 28] No space left on device"
                               << "A disk was full";
  }
  void whatAFailureNeedsIsSaid() {
    QFETCH(QString, words);
    QFETCH(QString, advice);
    SetUp setUp;
    setUp.installed("installed here, \ninstalled wanted, \n");
    setUp.bench.setVariable("https_proxy", "http://127.0.0.1:9");
    setUp.bench.write("words", words.toStdString());
    setUp.pipDoes("cat words; exit 1");
    const auto ended = setUp.run();
    QCOMPARE(ended.status, 1);
    QVERIFY2(ended.err.find(advice.toStdString()) != std::string::npos, ended.err.c_str());
    QVERIFY2(ended.err.find("it continues where it stopped") != std::string::npos,
             ended.err.c_str());
  }

  /// It may have left a package that looks whole.
  void anInterruptedPipInstallsAgain() {
    SetUp setUp;
    setUp.installed("installed here, \ninstalled wanted, \n");
    setUp.pipDoes("kill -9 $$");
    QCOMPARE(setUp.run().status, 1);
    setUp.pipDoes("exit 0");
    QCOMPARE(setUp.run().status, 0);
    std::istringstream pips(setUp.bench.read("pips"));
    std::string first, again, next;
    std::getline(pips, first);
    std::getline(pips, again);
    std::getline(pips, next);
    QVERIFY2(first.find("--ignore-installed") == std::string::npos, first.c_str());
    QVERIFY2(again.find("--ignore-installed cmake") != std::string::npos, again.c_str());
    QVERIFY2(next.find("--ignore-installed") == std::string::npos, next.c_str());
    QCOMPARE(setUp.run().status, 0);
    QCOMPARE(setUp.linesOf("pips"), std::size_t{3});
  }

  void anUnusableVenvIsMadeAgain_data() {
    QTest::addColumn<QString>("what");
    QTest::newRow("nothing was installed in it: its pip may be half there") << "unfinished";
    QTest::newRow("moved: its scripts start the Python of another folder") << "moved";
    QTest::newRow("its Python cannot be started") << "broken";
  }
  void anUnusableVenvIsMadeAgain() {
    QFETCH(QString, what);
    SetUp setUp;
    setUp.installed("installed here, \ninstalled wanted, \n");
    if (what == QLatin1String("unfinished"))
      std::filesystem::remove(setUp.bench.folder() / ".venv/installed-before");
    if (what == QLatin1String("moved"))
      setUp.bench.write(".venv/bin/pip", "#!/old/.venv/bin/python");
    if (what == QLatin1String("broken"))
      setUp.bench.writeProgram(".venv/bin/python", "[ \"$3\" != --version ]\n");
    setUp.bench.writeProgram("bin/python3", "echo \"$*\" >>venvs\n");
    QCOMPARE(setUp.run().status, 0);
    QCOMPARE(setUp.bench.read("venvs"), std::string("-m venv --clear .venv\n"));
  }

  /// An interrupted clearing may leave any part of the old venv.
  void anInterruptedClearingIsDoneAgain() {
    SetUp setUp;
    setUp.installed("installed here, \ninstalled wanted, \n");
    setUp.bench.write(".venv/bin/pip", "#!/old/.venv/bin/python");
    setUp.bench.writeProgram("bin/python3",
                             "echo \"#!$PWD/.venv/bin/python\" >.venv/bin/pip\nkill -9 $$\n");
    QCOMPARE(setUp.run().status, 1);
    setUp.bench.writeProgram("bin/python3", "echo \"$*\" >>venvs\n");
    QCOMPARE(setUp.run().status, 0);
    QCOMPARE(setUp.bench.read("venvs"), std::string("-m venv --clear .venv\n"));
  }

  void twoSetUpsOfOneCheckoutDoNotMix() {
    SetUp setUp;
    setUp.bench.write("build/lock", "");
    const auto other = base::FileLock::tryAcquire(setUp.bench.folder() / "build/lock");
    QVERIFY(other.has_value());
    const auto ended = setUp.run();
    QCOMPARE(ended.status, 1);
    QVERIFY2(ended.err.find("another script of packaging/ is building") != std::string::npos,
             ended.err.c_str());
  }

  void ordinaryUserGetsTheInstallCommand() {
    SetUp setUp;
    setUp.bench.writeProgram("bin/id", "echo 1000\n");
    setUp.bench.writeProgram("bin/sudo", "exit 1\n");
    const auto ended = setUp.run();
    QCOMPARE(ended.status, 1);
    QVERIFY2(
        ended.err.find("apt-get install --no-install-recommends wanted\n") != std::string::npos,
        ended.err.c_str());
  }
};

LOCKSTEP_TEST(TstSetup)
#include "tst_setup.moc"
