#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <cstring>

#include "engine/base/atomic_file.h"
#include "engine/base/input_file.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;

class TstInputFile : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRegularFileIsAcceptedAlsoThroughASymlink() {
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath(QStringLiteral("f")).toStdString();
    base::writeFileAtomically(file, "x");
    QCOMPARE(base::inputFileError(file, "a file"), std::string());
    const auto link = file.parent_path() / "link";
    std::filesystem::create_symlink(file, link);
    QCOMPARE(base::inputFileError(link, "a file"), std::string());
  }

  void otherFileTypesAreNamed() {
    const QTemporaryDir folder;
    const std::filesystem::path pipe = folder.filePath(QStringLiteral("pipe")).toStdString();
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    QCOMPARE(base::inputFileError(pipe, "a file"), std::string("is a pipe; expected a file"));
    QCOMPARE(base::inputFileError(pipe.parent_path(), "a picture"),
             std::string("is a folder; expected a picture"));
    QCOMPARE(base::inputFileError("/dev/zero", "a file"),
             std::string("is a device; expected a file"));
    QCOMPARE(base::inputFileError(pipe.parent_path() / "none", "a file"),
             std::string("no such file"));
    QCOMPARE(base::inputFileError("/dev/null/x", "a file"), std::string("no such file"));
    QCOMPARE(base::inputFileError(std::string(300, 'a'), "a file"),
             std::string(std::strerror(ENAMETOOLONG)));
  }

  void onlyRegularFilesAreOpened() {
    const QTemporaryDir folder;
    const std::filesystem::path root = folder.path().toStdString(), pipe = root / "pipe";
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    for (const int flags : {O_RDONLY, O_WRONLY, O_RDWR})
      QCOMPARE(tests::messageOf([&] { base::openRegularFile(pipe, flags); }),
               pipe.string() + ": is a pipe; expected a regular file");
    QVERIFY(tests::messageOf([&] {
              base::openRegularFile(root, O_WRONLY);
            }).ends_with(": is a folder; expected a regular file"));
    QVERIFY(tests::messageOf([&] {
              base::openRegularFile(root / "none", O_RDONLY);
            }).ends_with("none: cannot be opened: No such file or directory"));
    QVERIFY(base::openRegularFile(root / "new", O_WRONLY | O_CREAT).isOpen());
  }

  void pathsThatCannotBeCheckedDoNotExist() {
    const QTemporaryDir folder;
    const std::filesystem::path root = folder.path().toStdString();
    QVERIFY(base::pathExists(root));
    QVERIFY(!base::pathExists(root / "none"));
    std::filesystem::create_symlink("circle", root / "circle");
    QVERIFY(!base::pathExists(root / "circle"));
  }

  void aSocketIsNamed() {
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("s")).toStdString();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    QVERIFY(path.size() < sizeof address.sun_path);
    std::memcpy(address.sun_path, path.c_str(), path.size());
    const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int bound =
        ::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::close(descriptor);
    QCOMPARE(bound, 0);
    QCOMPARE(base::inputFileError(path, "a file"), std::string("is a socket; expected a file"));
  }
};

LOCKSTEP_TEST(TstInputFile)

#include "tst_input_file.moc"
