#include <sys/stat.h>
#include <unistd.h>

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/error.h"
#include "tests/run_folder/run_samples.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::run_folder;
using namespace lockstep::tests;

class TstSocketPath : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    temporary_ = std::make_unique<QTemporaryDir>(QStringLiteral("/tmp/lockstep-test-XXXXXX"));
    root_ = temporary_->path().toStdString();
    before_ = qgetenv("XDG_RUNTIME_DIR");
    qputenv("XDG_RUNTIME_DIR", temporary_->path().toUtf8());
  }
  void cleanup() {
    before_.isNull() ? qunsetenv("XDG_RUNTIME_DIR") : qputenv("XDG_RUNTIME_DIR", before_);
  }
  void theSocketFolderIsInXdgRuntimeDir();
  void withoutAUsableRuntimeFolderItIsInTmp_data();
  void withoutAUsableRuntimeFolderItIsInTmp();
  void askingForPathsCreatesNothing();
  void theNameIsAStableHash();
  void everyPathFitsASocketAddress();
  void theFolderIsPrivate();
  void aFolderAccessibleToOthersIsMadePrivate();
  void aSymlinkIsRefused();
  void aFolderOfAnotherUserIsRefused();

 private:
  std::unique_ptr<QTemporaryDir> temporary_;
  fs::path root_;
  QByteArray before_;
};

void TstSocketPath::theSocketFolderIsInXdgRuntimeDir() {
  QCOMPARE(socketFolder(), root_ / "lockstep");
}

void TstSocketPath::withoutAUsableRuntimeFolderItIsInTmp_data() {
  QTest::addColumn<QByteArray>("value");
  QTest::newRow("unset") << QByteArray();
  QTest::newRow("empty") << QByteArray("");
  QTest::newRow("not there") << QByteArray("/run/user/987654321");
  QTest::newRow("relative") << QByteArray("run");
  QTest::newRow("a file") << QByteArray("/etc/passwd");
}

void TstSocketPath::withoutAUsableRuntimeFolderItIsInTmp() {
  QFETCH(QByteArray, value);
  value.isNull() ? qunsetenv("XDG_RUNTIME_DIR") : qputenv("XDG_RUNTIME_DIR", value);
  QCOMPARE(socketFolder(), fs::path("/tmp/lockstep-" + std::to_string(::geteuid())));
}

void TstSocketPath::askingForPathsCreatesNothing() {
  socketFolder();
  socketPath("/runs/a");
  QVERIFY(fs::is_empty(root_));
}

void TstSocketPath::theNameIsAStableHash() {
  const fs::path path = socketPath("/runs/a");
  QCOMPARE(path.parent_path(), socketFolder());
  // FNV-1a's own test vector, so that the name never changes from build to build.
  QCOMPARE(socketPath("foobar").filename(), fs::path("85944171f73967e8.sock"));
  QCOMPARE(socketPath("").filename(), fs::path("cbf29ce484222325.sock"));
  QVERIFY(socketPath("/runs/a") != socketPath("/runs/b"));
  QVERIFY(socketPath("/runs/a") != socketPath("inspect:/runs/a"));
}

void TstSocketPath::everyPathFitsASocketAddress() {
  fs::path deep = root_;
  for (int i = 0; i < 25; ++i) {
    deep /= "fivec";
    fs::create_directories(deep);
    qputenv("XDG_RUNTIME_DIR", QByteArray::fromStdString(deep.string()));
    const std::string path = socketPath("/runs/a").string();
    QVERIFY(path.size() <= 107);
    QCOMPARE(path.starts_with(deep.string()), deep.string().size() + 9 + 22 <= 107);
  }
}

void TstSocketPath::theFolderIsPrivate() {
  for (int again = 0; again < 2; ++again) {
    QCOMPARE(ensureSocketFolder(), root_ / "lockstep");
    struct stat status {};
    QCOMPARE(::stat((root_ / "lockstep").c_str(), &status), 0);
    QCOMPARE(status.st_mode & 0777, 0700u);
  }
}

void TstSocketPath::aFolderAccessibleToOthersIsMadePrivate() {
  QCOMPARE(::mkdir((root_ / "lockstep").c_str(), 0700), 0);
  QCOMPARE(::chmod((root_ / "lockstep").c_str(), 0777), 0);
  ensureSocketFolder();
  struct stat status {};
  QCOMPARE(::stat((root_ / "lockstep").c_str(), &status), 0);
  QCOMPARE(status.st_mode & 0777, 0700u);
}

void TstSocketPath::aSymlinkIsRefused() {
  fs::create_directory(root_ / "elsewhere");
  fs::create_symlink(root_ / "elsewhere", root_ / "lockstep");
  QVERIFY_EXCEPTION_THROWN(ensureSocketFolder(), Error);
  fs::remove(root_ / "lockstep");
  writeText(root_ / "lockstep", "");
  QVERIFY_EXCEPTION_THROWN(ensureSocketFolder(), Error);
}

void TstSocketPath::aFolderOfAnotherUserIsRefused() {
  if (::geteuid() != 0) QSKIP("only root can make another user's folder");
  QCOMPARE(::mkdir((root_ / "lockstep").c_str(), 0700), 0);
  QCOMPARE(::chown((root_ / "lockstep").c_str(), 12345, 12345), 0);
  try {
    ensureSocketFolder();
    QFAIL("accepted");
  } catch (const Error& error) {
    QVERIFY(QString::fromUtf8(error.what()).contains(QStringLiteral("belongs to another user")));
  }
}

LOCKSTEP_TEST(TstSocketPath)
#include "tst_socket_path.moc"
