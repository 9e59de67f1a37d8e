#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/documents/experiment_file.h"
#include "engine/base/error.h"
#include "tests/support/test_main.h"
#include "tests/support/text.h"

using lockstep::Error;
using lockstep::app::ExperimentFile;
using lockstep::tests::text;
using State = ExperimentFile::State;

class TstExperimentFile : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  QString path(const char* name) const { return folder_->filePath(QString::fromUtf8(name)); }
  /// Like another program: in place, or by a new file moved over it.
  static void writeOutside(const QString& path, const QByteArray& bytes, bool replaces = false) {
    QFile file(replaces ? path + QStringLiteral(".new") : path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    file.close();
    if (replaces) QCOMPARE(::rename(file.fileName().toLocal8Bit(), path.toLocal8Bit()), 0);
  }
  void attach(ExperimentFile& file, const char* name) const {
    file.attach(path(name), ExperimentFile::realPath(path(name)), text("one"));
  }
  static QString readError(const QString& path) {
    try {
      ExperimentFile::read(path);
    } catch (const Error& error) {
      return QString::fromUtf8(error.what());
    }
    return {};
  }

 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void readingAndWritingKeepsEveryByte() {
    for (const char* bytes : {"", "name: \"été\"   # kept\r\n\r\nb: 1", "\xef\xbb\xbfname: a\n"}) {
      writeOutside(path("a.yaml"), bytes);
      ExperimentFile::write(path("b.yaml"), ExperimentFile::read(path("a.yaml")));
      QFile copy(path("b.yaml"));
      QVERIFY(copy.open(QIODevice::ReadOnly));
      QCOMPARE(copy.readAll(), QByteArray(bytes));
    }
  }

  void onlyTextFilesAreAccepted() {
    writeOutside(path("latin1.yaml"), "name: \xe9t\xe9\n");
    QVERIFY(readError(path("latin1.yaml")).contains(text("is not UTF-8")));
    writeOutside(path("zero.yaml"), QByteArray("name: a\0b", 9));
    QVERIFY(readError(path("zero.yaml")).contains(text("zero bytes")));
    QVERIFY(readError(folder_->path()).contains(text("is a folder")));
    QVERIFY(readError(text("/dev/zero")).contains(text("is a device")));
    QVERIFY(readError(path("nowhere.yaml")).contains(text("no such file")));
    QFile large(path("large.yaml"));
    QVERIFY(large.open(QIODevice::WriteOnly) && large.resize(qint64{1} << 32));
    QVERIFY(readError(path("large.yaml")).contains(text("not an experiment file")));
  }

  void anExternalChangeIsSeen_data() {
    QTest::addColumn<bool>("replaces");
    QTest::newRow("in place") << false;
    QTest::newRow("a new file over it") << true;
  }
  void anExternalChangeIsSeen() {
    QFETCH(bool, replaces);
    writeOutside(path("a.yaml"), "one");
    ExperimentFile file;
    QSignalSpy changed(&file, &ExperimentFile::changed);
    attach(file, "a.yaml");
    // Twice: the watch has to follow the new file.
    for (const char* bytes : {"two", "three"}) {
      writeOutside(path("a.yaml"), bytes, replaces);
      QTRY_COMPARE(file.onDisk(), text(bytes));
      QCOMPARE(file.state(), State::Changed);
    }
    QVERIFY(changed.count() >= 2);
    writeOutside(path("a.yaml"), "one", replaces);
    QTRY_COMPARE(file.state(), State::Same);
  }

  /// As after chmod, when a file that could not be read, and so not be watched, can be.
  void permissionsInAWatchedFolderAreSeen() {
    writeOutside(path("a.yaml"), "one");
    lockstep::app::FileWatch watch;
    QSignalSpy changed(&watch, &lockstep::app::FileWatch::changed);
    watch.paths()->set({folder_->path()}, 1);
    QCOMPARE(::chmod(path("a.yaml").toLocal8Bit(), 0), 0);
    QTRY_COMPARE(changed.count(), 1);
    QCOMPARE(::chmod(path("a.yaml").toLocal8Bit(), 0644), 0);
    QTRY_COMPARE(changed.count(), 2);
  }

  void touchingTheFileIsNoChange() {
    writeOutside(path("a.yaml"), "one");
    ExperimentFile file;
    QSignalSpy changed(&file, &ExperimentFile::changed);
    attach(file, "a.yaml");
    writeOutside(path("a.yaml"), "one", true);
    QCOMPARE(file.apply(file.look()()), State::Same);
    QCOMPARE(changed.count(), 0);
  }

  void deletingAndRestoringAreSeen() {
    writeOutside(path("a.yaml"), "one");
    ExperimentFile file;
    attach(file, "a.yaml");
    QVERIFY(QFile::remove(path("a.yaml")));
    QTRY_COMPARE(file.state(), State::Gone);
    writeOutside(path("a.yaml"), "one");
    QTRY_COMPARE(file.state(), State::Same);
  }

  void aFileThatBecomesUnreadableHasAReason() {
    writeOutside(path("a.yaml"), "one");
    ExperimentFile file;
    attach(file, "a.yaml");
    writeOutside(path("a.yaml"), "\xff\xfe");
    QCOMPARE(file.apply(file.look()()), State::Changed);
    QVERIFY(file.readError().contains(text("UTF-8")));
  }

  void aSymbolicLinkIsFollowedAndKept() {
    QVERIFY(QDir(folder_->path()).mkdir(text("real")));
    writeOutside(path("real/a.yaml"), "one");
    QVERIFY(QFile::link(path("real/a.yaml"), path("link.yaml")));
    QCOMPARE(ExperimentFile::realPath(path("link.yaml")),
             QFileInfo(path("real/a.yaml")).canonicalFilePath());
    ExperimentFile file;
    attach(file, "link.yaml");
    writeOutside(path("real/a.yaml"), "two", true);
    QTRY_COMPARE(file.state(), State::Changed);
    ExperimentFile::write(path("link.yaml"), text("three"));
    QVERIFY(QFileInfo(path("link.yaml")).isSymLink());
    QCOMPARE(ExperimentFile::read(path("real/a.yaml")), text("three"));
  }

  void aProtectedFileIsNotReplaced() {
    writeOutside(path("a.yaml"), "one");
    QVERIFY(QFile::setPermissions(path("a.yaml"), QFileDevice::ReadOwner));
    if (::geteuid() == 0) QSKIP("root may write everything");
    try {
      ExperimentFile::write(path("a.yaml"), text("two"));
      QFAIL("not refused");
    } catch (const Error& error) {
      QVERIFY2(QString::fromUtf8(error.what()).contains(text("write-protected")), error.what());
    }
    QCOMPARE(ExperimentFile::read(path("a.yaml")), text("one"));
  }

  void aDeviceIsNotReplaced() {
    QVERIFY(QFile::link(text("/dev/null"), path("link.yaml")));
    try {
      ExperimentFile::write(path("link.yaml"), text("two"));
      QFAIL("not refused");
    } catch (const Error& error) {
      QVERIFY2(QString::fromUtf8(error.what()).contains(text("is a device")), error.what());
    }
  }

  void aCopyGetsAFreeName() {
    writeOutside(path("a.b.yaml"), "one");
    writeOutside(path("a.b-2.yaml"), "someone's");
    const QString file = path("a.b.yaml");
    QCOMPARE(ExperimentFile::copyName(file), text("a.b-3.yaml"));
    QCOMPARE(ExperimentFile::writeCopy(file, text("mine")), path("a.b-3.yaml"));
    QCOMPARE(ExperimentFile::writeCopy(file, text("mine too")), path("a.b-4.yaml"));
    QCOMPARE(ExperimentFile::read(path("a.b-2.yaml")), text("someone's"));
    QCOMPARE(ExperimentFile::read(path("a.b-3.yaml")), text("mine"));
    QCOMPARE(ExperimentFile::read(path("a.b.yaml")), text("one"));
  }
};

LOCKSTEP_TEST(TstExperimentFile)
#include "tst_experiment_file.moc"
