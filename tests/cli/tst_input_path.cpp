#include <unistd.h>

#include <QTest>
#include <fstream>

#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/cli/input_path.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::EngineBench;
using tests::EngineResult;
namespace fs = std::filesystem;

namespace {

constexpr uid_t kNobody = 65534;

/// A bench that another user may look at and write to, save its folder `closed`.
void openForOthers(const EngineBench& bench) {
  fs::permissions(bench.folder(), fs::perms::all);
  fs::permissions(bench.folder() / "x", fs::perms::all);
  fs::create_directories(bench.folder() / "closed/run");
  std::ofstream(bench.folder() / "closed/a.png") << "a";
  fs::permissions(bench.folder() / "closed", fs::perms::owner_all);
}

EngineResult runAsNobody(const EngineBench& bench, const QStringList& arguments) {
  QProcess engine;
  engine.setWorkingDirectory(QString::fromStdString(bench.folder().string()));
  engine.setChildProcessModifier([] {
    if (::setresgid(kNobody, kNobody, kNobody) != 0 || ::setresuid(kNobody, kNobody, kNobody) != 0)
      ::_exit(99);
  });
  engine.start(QString::fromStdString((bench.folder() / "bin/lockstep-engine").string()),
               arguments);
  return EngineBench::finish(engine);
}

}  // namespace

class TstInputPath : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void existingPathsAreClassified() {
    const QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    std::ofstream(root / "file") << "x";
    QVERIFY(cli::isFolder(root) && !cli::isFile(root) && cli::pathExists(root));
    QVERIFY(cli::isFile(root / "file") && !cli::isFolder(root / "file"));
    QVERIFY(!cli::pathExists(root / "none") && !cli::isFile(root / "none"));
    QVERIFY2(!cli::pathExists(root / "file/below"), "a file has nothing below it");
    QCOMPARE(base::entriesOf(root), std::vector<fs::path>{root / "file"});
  }

  void anUnreadablePathIsAUserError() {
    const QTemporaryDir folder;
    const fs::path circle = fs::path(folder.path().toStdString()) / "circle";
    fs::create_symlink(circle, circle);
    try {
      cli::pathExists(circle);
      QFAIL("a symlink loop was accepted");
    } catch (const Error& error) {
      QCOMPARE(error.status(), ExitStatus::UserError);
      QCOMPARE(QString::fromUtf8(error.what()),
               QString::fromStdString(circle.string()) +
                   QStringLiteral(": Too many levels of symbolic links"));
    }
    QVERIFY_THROWS_EXCEPTION(Error, base::entriesOf(circle));
    QVERIFY_THROWS_EXCEPTION(Error, cli::realPath(circle));
  }

  void aFolderWithoutPermissionIsAUserErrorOfOneLine_data() {
    QTest::addColumn<QString>("line");
    for (const char* line :
         {"train closed/experiment.yaml", "train closed/run --resume",
          "train experiment.yaml --output closed/run",
          "train experiment.yaml --output closed/run --resume",
          "evaluate experiment.yaml --weights closed/w.safetensors",
          "predict experiment.yaml --weights w --images closed/a.png --out p.json",
          "predict experiment.yaml --weights w --images closed --out p.json", "runs closed/run",
          "runs closed", "metrics closed/run", "config check closed/experiment.yaml",
          "config diff closed/run experiment.yaml", "config diff closed/a.yaml experiment.yaml",
          "coco-eval --gt closed/a.json --dt closed/b.json --type bbox"}) {
      QTest::newRow(line) << QString::fromUtf8(line);
    }
  }
  void aFolderWithoutPermissionIsAUserErrorOfOneLine() {
    QFETCH(QString, line);
    if (::geteuid() != 0) QSKIP("needs root, to become a user who may not look");
    const EngineBench bench;
    openForOthers(bench);
    std::ofstream(bench.folder() / "w") << "weights";
    const auto result = runAsNobody(bench, line.split(QLatin1Char(' ')));
    const QString err = QString::fromStdString(result.err);
    QVERIFY2(result.status == 2, result.err.c_str());
    QVERIFY2(
        err.contains(QStringLiteral("closed")) && err.contains(QStringLiteral("Permission denied")),
        result.err.c_str());
    QVERIFY2(!err.contains(QStringLiteral("filesystem error")), result.err.c_str());
    QCOMPARE(err.count(QLatin1Char('\n')), 1);
  }
};

LOCKSTEP_TEST(TstInputPath)
#include "tst_input_path.moc"
