#include <QFile>
#include <QSignalSpy>
#include <QTest>

#include "app/documents/document_controller.h"
#include "tests/app/document_bench.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::DocumentQuestions;
using Kind = app::DocumentNotice::Kind;
using tests::text;

/// Several documents are open at once, one of them shown.
class TstOpenDocuments : public QObject, private tests::DocumentBench {
  Q_OBJECT

 private Q_SLOTS:
  void init() { clear(); }

  void anotherDocumentIsOpenedBesideTheEditsOfTheFirst() {
    const auto made = edited();
    write(path("b.yaml"), "b");
    QVERIFY(made->document.open(path("b.yaml")));
    QCOMPARE(made->shown, text("b"));
    QVERIFY(!made->document.isUnsaved());
    made->type("b2");
    QVERIFY(made->document.openCopyOfRun(tests::makeRun(folder(), {})));
    QTRY_COMPARE(draftCount(), 3);  // the copy is in no file
    const auto open = made->document.documents();
    QCOMPARE(open.size(), 3);
    QCOMPARE(made->document.shownDocument(), 2);
    QVERIFY(open[0].isUnsaved && open[1].isUnsaved && !open[2].isUnsaved);
    made->document.showDocument(0);
    QCOMPARE(made->shown, text("two"));
    QCOMPARE(made->document.path(), path("a.yaml"));
    QVERIFY(made->document.save());
    QCOMPARE(read(path("a.yaml")), QByteArray("two"));
    QTRY_COMPARE(draftCount(), 2);
    // Opened again, it is the one that is open.
    QVERIFY(made->document.open(path("b.yaml")));
    QCOMPARE(made->shown, text("b2"));
    QCOMPARE(made->document.documents().size(), 3);
    QCOMPARE(read(path("b.yaml")), QByteArray("b"));
    QVERIFY(made->answers.asked.isEmpty());
    // A file that cannot be opened changes nothing.
    QVERIFY(!made->document.open(path("nowhere.yaml")));
    QCOMPARE(made->shown, text("b2"));
  }

  void aDocumentThatIsNotShownSurvivesACrash() {
    {
      const auto made = edited();
      write(path("b.yaml"), "b");
      QVERIFY(made->document.open(path("b.yaml")));
      made->type("b2");
      made->document.keepDraft();
    }
    QCOMPARE(draftCount(), 2);
    const auto made = window();
    QVERIFY(made->document.open(path("a.yaml")));
    QCOMPARE(made->shown, text("two"));
    QVERIFY(made->document.open(path("b.yaml")));
    QCOMPARE(made->shown, text("b2"));
    made->document.showDocument(0);
    QCOMPARE(made->shown, text("two"));
  }

  void aDraftOfAnOpenFileIsRestoredInIt() {
    write(path("a.yaml"), "one");
    write(path("b.yaml"), "b");
    const auto made = window();
    QVERIFY(made->document.open(path("a.yaml")));
    QVERIFY(made->document.open(path("b.yaml")));
    {
      const auto other = edited();  // in another window, which is killed
      other->document.keepDraft();
    }
    QVERIFY(made->document.openDraft(orphanedDrafts().front().id));
    QCOMPARE(made->shown, text("two"));
    QCOMPARE(made->document.shownDocument(), 0);
    QCOMPARE(made->document.documents().size(), 2);
  }

  void aDocumentThatIsNotShownIsReloadedWhenItChanged() {
    write(path("a.yaml"), "one");
    write(path("b.yaml"), "b");
    const auto made = window();
    QVERIFY(made->document.open(path("a.yaml")));
    QVERIFY(made->document.open(path("b.yaml")));
    write(path("a.yaml"), "theirs");
    made->document.showDocument(0);
    QTRY_COMPARE(made->shown, text("theirs"));
    QCOMPARE(made->document.notice().kind, Kind::Reloaded);
    made->document.showDocument(1);
    made->type("mine");
    made->document.showDocument(0);
    write(path("b.yaml"), "theirs");
    made->document.showDocument(1);
    QTRY_COMPARE(made->document.notice().kind, Kind::ChangedOutside);
    QCOMPARE(made->shown, text("mine"));
  }

  void aFileDeletedUnseenIsAskedAboutBeforeItsTextIsLost() {
    write(path("a.yaml"), "only here");
    write(path("b.yaml"), "b");
    const auto made = window();
    QVERIFY(made->document.open(path("a.yaml")));
    QVERIFY(made->document.open(path("b.yaml")));
    QVERIFY(QFile::remove(path("a.yaml")));
    made->answers.leaving = DocumentQuestions::Leaving::Save;
    QVERIFY(made->document.close());
    QCOMPARE(made->answers.asked, QStringList{text("leave without a file a.yaml")});
    QCOMPARE(read(path("a.yaml")), QByteArray("only here"));
  }

  void theShownDocumentIsClosedAfterAQuestionAboutItsEdits() {
    const auto made = edited();
    write(path("b.yaml"), "b");
    QVERIFY(made->document.open(path("b.yaml")));
    made->document.showDocument(0);
    QVERIFY(!made->document.closeShown());  // the answer is to cancel
    QCOMPARE(made->answers.asked, QStringList{text("leave a.yaml")});
    made->answers.leaving = DocumentQuestions::Leaving::Discard;
    QVERIFY(made->document.closeShown());
    QCOMPARE(made->shown, text("b"));
    QCOMPARE(made->document.documents().size(), 1);
    QTRY_COMPARE(draftCount(), 0);
    QCOMPARE(read(path("a.yaml")), QByteArray("one"));
    QSignalSpy closed(&made->document, &app::DocumentController::closed);
    QVERIFY(made->document.closeShown());
    QCOMPARE(closed.count(), 1);
    QVERIFY(!made->document.hasDocument());
    QVERIFY(made->document.documents().isEmpty());
    QVERIFY(made->document.close());  // nothing is asked
    QVERIFY(made->document.open(path("a.yaml")));
    QCOMPARE(made->shown, text("one"));
  }

  void discardedEditsKeepTheirDraftUntilAllIsAnswered() {
    const auto made = edited();
    write(path("b.yaml"), "b");
    QVERIFY(made->document.open(path("b.yaml")));
    made->type("b2");
    QTRY_COMPARE(draftCount(), 2);
    using Leaving = DocumentQuestions::Leaving;
    made->answers.leaving = Leaving::Discard;
    made->answers.whileAsked = [&made] {
      made->answers.whileAsked = [&made] { made->answers.leaving = Leaving::Cancel; };
    };
    QVERIFY(!made->document.close());
    QCOMPARE(made->answers.asked, (QStringList{text("leave b.yaml"), text("leave a.yaml")}));
    QCOMPARE(draftCount(), 2);
    made->document.showDocument(1);
    QCOMPARE(made->shown, text("b2"));
    made->answers.leaving = Leaving::Discard;
    QVERIFY(made->document.close());
    QTRY_COMPARE(draftCount(), 0);
  }
};

LOCKSTEP_TEST(TstOpenDocuments)
#include "tst_open_documents.moc"
