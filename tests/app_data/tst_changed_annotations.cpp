// Annotations that change on the disk while the Data page shows them.
#include <QSignalSpy>

#include "app/files/watched_files.h"
#include "engine/base/file_version.h"
#include "tests/app_data/data_page_bench.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "widgets/dataset_view/findings_panel.h"

using namespace lockstep;
using namespace lockstep::tests;

class TstChangedAnnotations : public QObject, DataPageBench {
  Q_OBJECT

 private Q_SLOTS:
  void init() { openPage(); }
  void cleanup() { page_.reset(); }

  void thoseThatAreBeingMadeAreWaitedFor() {
    app::OpenExperiment own = experiment();
    own.unprepared = QStringLiteral("The images are being made.");
    page_->setExperiment(own);
    page_->show();
    QVERIFY(QTest::qWaitForWindowActive(page_.get()));
    QVERIFY(hasLabel(own.unprepared));
    QVERIFY(page_->isReady());
    QCOMPARE(strip()->count(), 0);
    showExperiment();
    QCOMPARE(strip()->count(), 3);
  }

  void theyAreReadAgain() {
    showExperiment();
    write("train.json", fewerAnnotations().dump());
    QTRY_COMPARE(strip()->count(), 2);
    QTRY_VERIFY(hasLabel(QStringLiteral("were read again")));
    write("train.json", "half of");
    QTRY_VERIFY(hasLabel(QStringLiteral("The data cannot be shown")));
    write("train.json", annotations().dump());
    QTRY_COMPARE(strip()->count(), 3);
  }

  void onlyDataThatHaveChangedAreSaidTo() {
    showExperiment();
    write("other.json", annotations().dump());
    app::WatchedFiles watched;  // as the page does
    const QString train = pathOf("train.json");
    watched.add(train, base::FileVersion::of(train.toStdString()));
    const QSignalSpy changed(&watched, &app::WatchedFiles::changed);
    page_->hide();
    write("train.json", fewerAnnotations().dump());
    QTRY_VERIFY(!changed.isEmpty());
    page_->openFile(pathOf("other.json"), folder_->path());
    page_->show();
    QTRY_VERIFY(page_->isReady() && strip()->count() == 3);
    QVERIFY(!hasLabel(QStringLiteral("were read again")));
    Q_EMIT page_->view()->sourceChosen(0);
    QTRY_VERIFY(page_->isReady() && strip()->count() == 2);
    QVERIFY(hasLabel(QStringLiteral("were read again")));
  }

  void aFileThatAKeyReadsAgainIsNotSaidToHaveChanged() {
    write("train.json", "half of");
    page_->setExperiment(experiment());
    page_->show();
    QVERIFY(QTest::qWaitForWindowActive(page_.get()));
    QTRY_VERIFY(page_->isReady() && hasLabel(QStringLiteral("The data cannot be shown")));
    QTest::keyClick(page_->view(), Qt::Key_F5);
    QVERIFY(!page_->isReady());
    QTRY_VERIFY(page_->isReady());
    QVERIFY(hasLabel(QStringLiteral("The data cannot be shown")));
    QVERIFY(!hasLabel(QStringLiteral("were read again")));
  }

  void aCheckOfAnnotationsThatChangeMeanwhileFindsNothing() {
    if (!QFile::exists(tests::program("lockstep-worker"))) QSKIP("needs lockstep-worker");
    showExperiment();
    QTest::mouseClick(button(QStringLiteral("Check every image")), Qt::LeftButton);
    write("train.json", fewerAnnotations().dump());
    QTRY_VERIFY(hasLabel(QStringLiteral("were read again")));
    QTRY_VERIFY_WITH_TIMEOUT(button(QStringLiteral("Check every image")), kPatienceMs);
    QVERIFY(!page_->findChild<widgets::FindingsPanel*>()->isChecked());
  }
};

LOCKSTEP_TEST(TstChangedAnnotations)
#include "tst_changed_annotations.moc"
