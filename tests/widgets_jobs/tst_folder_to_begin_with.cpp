#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/test_main.h"
#include "widgets/jobs/awaited.h"

using lockstep::jobs::folderToBeginWith;

class TstFolderToBeginWith : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aDialogBeginsInTheNearestFolderThatExists() {
    const QTemporaryDir folder;
    const QString own = folder.path();
    QFile file(folder.filePath(QStringLiteral("a.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(folderToBeginWith(own), own);
    QCOMPARE(folderToBeginWith(file.fileName()), own);
    QCOMPARE(folderToBeginWith(folder.filePath(QStringLiteral("not/yet/there"))), own);
  }

  /// Qt's dialogs begin without a folder where a file was chosen last.
  void withoutAFolderItIsLeftToTheDialog_data() {
    QTest::addColumn<QString>("path");
    QTest::newRow("none") << QString();
    QTest::newRow("nothing of it exists") << QStringLiteral("/no-such-folder/a");
    QTest::newRow("the root") << QStringLiteral("/");
    QTest::newRow("on another machine") << QStringLiteral("ssh://node7/runs/a");
  }
  void withoutAFolderItIsLeftToTheDialog() {
    QFETCH(QString, path);
    QCOMPARE(folderToBeginWith(path), QString());
  }
};

LOCKSTEP_TEST(TstFolderToBeginWith)
#include "tst_folder_to_begin_with.moc"
