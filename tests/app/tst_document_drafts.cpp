#include <QDir>
#include <QFile>
#include <QTest>

#include "app/documents/document_controller.h"
#include "tests/app/document_bench.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using Kind = app::DocumentNotice::Kind;
using tests::text;

/// Edits survive the window.
class TstDocumentDrafts : public QObject, private tests::DocumentBench {
  Q_OBJECT

 private Q_SLOTS:
  void init() { clear(); }

  void editsAreRecoveredAfterACrash() {
    edited().reset();  // a window that is destroyed without closing
    QCOMPARE(draftCount(), 1);
    const auto made = window();
    QVERIFY(made->document.open(path("a.yaml")));
    QCOMPARE(made->shown, text("two"));
    QVERIFY(made->document.isUnsaved());
    QCOMPARE(made->document.notice().kind, Kind::Restored);
    QVERIFY(made->answers.asked.isEmpty());
    QVERIFY(made->document.save());
    QCOMPARE(read(path("a.yaml")), QByteArray("two"));
    QCOMPARE(draftCount(), 0);
    QCOMPARE(made->document.notice().kind, Kind::None);
  }

  void recoveredEditsCanBeKeptOrDiscarded() {
    edited().reset();
    auto made = window();
    QVERIFY(made->document.open(path("a.yaml")));
    made->document.dismissNotice();  // keeps them
    made.reset();
    QCOMPARE(draftCount(), 1);
    made = window();
    QVERIFY(made->document.open(path("a.yaml")));
    made->document.acceptNotice();
    QCOMPARE(made->shown, text("one"));
    QVERIFY(!made->document.isUnsaved());
    made.reset();
    QCOMPARE(draftCount(), 0);
  }

  void recoveredEditsAskBeforeTheyOverwriteAChangedFile() {
    edited().reset();
    write(path("a.yaml"), "theirs");
    const auto made = window();
    QVERIFY(made->document.open(path("a.yaml")));
    QCOMPARE(made->shown, text("two"));
    QVERIFY(made->document.notice().detail.contains(text("has changed since")));
    QVERIFY(!made->document.save());
    QCOMPARE(made->answers.asked, QStringList{text("overwrite a.yaml")});
    QCOMPARE(read(path("a.yaml")), QByteArray("theirs"));
    made->document.acceptNotice();  // discards them
    QCOMPARE(made->shown, text("theirs"));
  }

  void editsOfADeletedFileAreRecovered() {
    edited().reset();
    QVERIFY(QFile::remove(path("a.yaml")));
    const auto made = window();
    QCOMPARE(orphanedDrafts().size(), 1);
    QVERIFY(made->document.openDraft(orphanedDrafts()[0].id));
    QCOMPARE(made->shown, text("two"));
    QVERIFY(made->document.save());
    QCOMPARE(read(path("a.yaml")), QByteArray("two"));
  }

  void editsOfAnUnsavedCopyAreRecovered() {
    const QString run = tests::makeRun(folder(), {});
    auto made = window();
    QVERIFY(made->document.openCopyOfRun(run));
    made->type("name: other\n");
    made.reset();
    made = window();
    QVERIFY(made->document.openDraft(orphanedDrafts()[0].id));
    QCOMPARE(made->shown, text("name: other\n"));
    QVERIFY(!made->document.hasFile() && made->document.isUnsaved());
  }

  void aCopyThatWasNotEditedIsThereAfterClosing() {
    const QString run = tests::makeRun(folder(), {});
    auto made = window();
    QVERIFY(made->document.openCopyOfRun(run));
    const QString copied = made->shown, suggested = made->document.path();
    QVERIFY(!made->document.isUnsaved());
    made->document.openText(text("name: other\n"), path("other.yaml"));
    QVERIFY(made->document.close());
    QVERIFY(made->answers.asked.isEmpty());
    made.reset();
    QCOMPARE(orphanedDrafts().size(), 2);
    made = window();
    for (const app::OrphanedDraft& left : orphanedDrafts())
      QVERIFY(made->document.openDraft(left.id));
    QCOMPARE(made->document.documents().size(), 2);
    made->document.showDocument(made->document.documents()[0].path == suggested ? 0 : 1);
    QCOMPARE(made->shown, copied);
    QCOMPARE(made->document.path(), suggested);
    QVERIFY(!made->document.isUnsaved() && !made->document.hasFile());
    // It is still the run's configuration, which trains as it is.
    QCOMPARE(made->document.fileToTrain(), run + text("/config.yaml"));
    // Closed by itself, it is let go.
    QVERIFY(made->document.closeShown() && made->document.closeShown());
    made.reset();
    QCOMPARE(draftCount(), 0);
  }

  void aCopyThatWasNotEditedIsShownAsSuch() {
    auto made = window();
    made->document.openText(text("name: other\n"), path("other.yaml"));
    made.reset();
    made = window();
    QVERIFY(made->document.openDraft(orphanedDrafts()[0].id));
    QCOMPARE(made->document.notice().kind, Kind::CopyRestored);
    QVERIFY(made->document.notice().action.isEmpty());
    made->document.announceDrafts(orphanedDrafts());
    QCOMPARE(made->document.notice().kind, Kind::CopyRestored);
  }

  void aByteOrderMarkIsInTheDraft() {
    write(path("a.yaml"), "\xef\xbb\xbfname: a\n");
    auto made = window();
    QVERIFY(made->document.open(path("a.yaml")));
    QVERIFY(!made->document.isUnsaved());
    made->shown = QChar(QChar::ByteOrderMark) + text("name: b\n");
    made->document.markEdited();
    made.reset();
    QCOMPARE(orphanedDrafts()[0].draft.text.toUtf8(), QByteArray("\xef\xbb\xbfname: b\n"));
  }

  void everyEditIsInTheDraftOnceTheSessionEnds() {
    const auto made = edited();
    for (const char* typed : {"two 2", "two 22", "two 222"}) made->type(typed);
    made->document.keepDraft();
    const QStringList names = QDir(drafts()).entryList({text("*.json")});
    QCOMPARE(names.size(), 1);
    QVERIFY(read(drafts() + QLatin1Char('/') + names[0]).contains("two 222"));
    QVERIFY(made->answers.asked.isEmpty());
  }

  void severalWindowsHaveTheirOwnDrafts() {
    auto first = edited();
    QTRY_COMPARE(draftCount(), 1);
    auto second = window();
    QVERIFY(second->document.open(path("a.yaml")));
    QCOMPARE(second->shown, text("one"));  // the first window is open: its edits are its own
    QCOMPARE(second->document.notice().kind, Kind::EditedElsewhere);
    second->type("three");
    first->type("two 2");
    first.reset();
    second.reset();
    const auto third = window();
    QStringList left;
    for (const app::OrphanedDraft& draft : orphanedDrafts()) left << draft.draft.text;
    left.sort();
    QCOMPARE(left, (QStringList{text("three"), text("two 2")}));
    // One is shown over the file, the other is still a draft.
    QVERIFY(third->document.open(path("a.yaml")));
    QCOMPARE(orphanedDrafts().size(), 1);
  }

  void otherDraftsAreAnnouncedAndOpened() {
    edited().reset();
    const auto made = window();
    made->document.announceDrafts(orphanedDrafts());
    QCOMPARE(made->document.notice().kind, Kind::DraftsFound);
    QVERIFY(made->document.notice().title.contains(text("a.yaml")));
    made->document.acceptNotice();
    QCOMPARE(made->shown, text("two"));
    QCOMPARE(made->document.notice().kind, Kind::Restored);
  }

  void draftsThatCannotBeWrittenAreReported() {
    write(path("state"), "a file where the folder should be");
    const auto made = edited();
    QTRY_COMPARE(made->document.notice().kind, Kind::BackupFailed);
    QVERIFY(made->document.notice().detail.contains(path("state")));
    QVERIFY(made->document.isUnsaved());
  }
};

LOCKSTEP_TEST(TstDocumentDrafts)
#include "tst_document_drafts.moc"
