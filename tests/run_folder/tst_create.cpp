#include <sys/stat.h>
#include <unistd.h>

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <set>

#include "engine/base/error.h"
#include "tests/run_folder/run_samples.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::run_folder;
using namespace lockstep::tests;

namespace {

/// The text of the UserError that `make` throws, empty when it throws none.
template <typename Make>
QString refusal(Make make) {
  try {
    make();
    return {};
  } catch (const Error& error) {
    return error.status() == ExitStatus::UserError ? QString::fromUtf8(error.what())
                                                   : QStringLiteral("not a UserError");
  }
}

}  // namespace

class TstCreate : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    temporary_ = std::make_unique<QTemporaryDir>();
    root_ = temporary_->path().toStdString();
  }
  void aRunIsNamedByNameAndTime();
  void parentsAndSubfoldersAreCreated();
  void runsOfTheSameSecondGetDifferentFolders();
  void namesBecomeSafeFileNames_data();
  void namesBecomeSafeFileNames();
  void exactlyTheNamedFolderIsCreated();
  void aFolderThatExistsIsRefused();
  void preparingKeepsExistingFiles();
  void unwritableParentsAreAUserErrorWithTheReason();

 private:
  std::unique_ptr<QTemporaryDir> temporary_;
  fs::path root_;
};

void TstCreate::aRunIsNamedByNameAndTime() {
  const QString name =
      QString::fromStdString(createRunFolder(root_, "mask_rcnn").folder().filename().string());
  QVERIFY2(QRegularExpression(QStringLiteral("^mask_rcnn-\\d{8}-\\d{6}$")).match(name).hasMatch(),
           qPrintable(name));
}

void TstCreate::parentsAndSubfoldersAreCreated() {
  const Layout layout = createRunFolder(root_ / "a/b", "x");
  QCOMPARE(layout.folder().parent_path(), root_ / "a/b");
  for (const char* name : {"checkpoints", "evaluations", "predictions"}) {
    QVERIFY(fs::is_directory(layout.folder() / name));
  }
}

void TstCreate::runsOfTheSameSecondGetDifferentFolders() {
  std::set<fs::path> folders;
  for (int i = 0; i < 5; ++i) folders.insert(createRunFolder(root_, "x").folder());
  QCOMPARE(folders.size(), 5u);
}

void TstCreate::namesBecomeSafeFileNames_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("start");
  QTest::newRow("empty") << QString() << QStringLiteral("run-");
  QTest::newRow("slash") << QStringLiteral("../../etc/x") << QStringLiteral("_._.._etc_x-");
  QTest::newRow("blanks") << QStringLiteral("a b\nc") << QStringLiteral("a_b_c-");
  QTest::newRow("dash") << QStringLiteral("-rf") << QStringLiteral("_rf-");
  QTest::newRow("long") << QString(300, QLatin1Char('x'))
                        << QString(100, QLatin1Char('x')) + QStringLiteral("-2");
}

void TstCreate::namesBecomeSafeFileNames() {
  QFETCH(QString, name);
  QFETCH(QString, start);
  const fs::path folder = createRunFolder(root_, name.toStdString()).folder();
  QCOMPARE(folder.parent_path(), root_);
  const QString made = QString::fromStdString(folder.filename().string());
  QVERIFY2(made.startsWith(start), qPrintable(made));
}

void TstCreate::exactlyTheNamedFolderIsCreated() {
  QCOMPARE(createRunFolderAt(root_ / "a/b/run").folder(), root_ / "a/b/run");
  QCOMPARE(createRunFolderAt(root_ / "c/").folder(), root_ / "c");
  QVERIFY(fs::is_directory(root_ / "c/checkpoints"));
}

void TstCreate::aFolderThatExistsIsRefused() {
  fs::create_directory(root_ / "there");
  QVERIFY(refusal([&] {
            createRunFolderAt(root_ / "there");
          }).contains(QStringLiteral("already exists")));
  writeText(root_ / "file", "");
  QVERIFY(refusal([&] {
            createRunFolderAt(root_ / "file");
          }).contains(QStringLiteral("already exists")));
}

void TstCreate::preparingKeepsExistingFiles() {
  fs::create_directory(root_ / "there");
  writeText(root_ / "there/checkpoints/mine", "x");
  QCOMPARE(prepareRunFolder(root_ / "there/").folder(), root_ / "there");
  QCOMPARE(textOf(root_ / "there/checkpoints/mine"), std::string("x"));
  QVERIFY(fs::is_directory(root_ / "there/predictions"));
  QVERIFY(fs::is_directory(prepareRunFolder(root_ / "new/one").folder() / "evaluations"));
}

void TstCreate::unwritableParentsAreAUserErrorWithTheReason() {
  writeText(root_ / "file", "");
  const QString notAFolder = refusal([&] { createRunFolder(root_ / "file", "x"); });
  QVERIFY2(notAFolder.endsWith(QStringLiteral("Not a directory")), qPrintable(notAFolder));
  QVERIFY(!refusal([&] { createRunFolderAt(root_ / "file/run"); }).isEmpty());
  QVERIFY(!refusal([&] { prepareRunFolder(root_ / "file"); }).isEmpty());
  const QString noRoom = refusal([&] { createRunFolderAt("/proc/lockstep/run"); });
  QVERIFY2(noRoom.contains(QStringLiteral("No such file or directory")), qPrintable(noRoom));
  if (::geteuid() == 0) return;  // root writes everywhere
  fs::create_directory(root_ / "closed");
  QCOMPARE(::chmod((root_ / "closed").c_str(), 0500), 0);
  const QString closed = refusal([&] { createRunFolder(root_ / "closed", "x"); });
  QVERIFY2(closed.endsWith(QStringLiteral("Permission denied")), qPrintable(closed));
}

LOCKSTEP_TEST(TstCreate)
#include "tst_create.moc"
