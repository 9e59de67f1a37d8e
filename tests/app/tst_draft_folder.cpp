#include <sys/stat.h>

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/documents/draft_folder.h"
#include "app/documents/draft_keeper.h"
#include "tests/support/test_main.h"

using lockstep::app::Draft;
using lockstep::app::DraftFolder;
using lockstep::app::DraftKeeper;
using lockstep::app::HeldDraft;
using lockstep::app::OrphanedDraft;

namespace {

Draft draft(const QString& file, const QString& text, int minute = 0) {
  return {file, file, QStringLiteral("name: base\n"), text,
          QDateTime(QDate(2026, 11, 22), QTime(20, minute, 5, 250))};
}

std::unique_ptr<DraftKeeper> keeperOf(const DraftFolder& folder) {
  return std::make_unique<DraftKeeper>(folder, folder.make());
}

mode_t modeOf(const QString& path) {
  struct stat status;
  return ::stat(path.toLocal8Bit().constData(), &status) == 0 ? status.st_mode & 0777 : 0;
}

}  // namespace

class TstDraftFolder : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> parent_;
  QString folder() const { return parent_->filePath(QStringLiteral("state/drafts")); }

 private Q_SLOTS:
  void init() { parent_ = std::make_unique<QTemporaryDir>(); }

  void anOrphanedDraftIsFound() {
    const DraftFolder drafts(folder());
    const Draft written =
        draft(QStringLiteral("/a/ü.yaml"), QStringLiteral("name: \"é\"\r\n# \u2028\n"));
    {
      const auto keeper = keeperOf(drafts);
      keeper->keep(draft(written.file, QStringLiteral("before")));
      keeper->keep(written);
      keeper->finish();
      QVERIFY(drafts.orphaned().isEmpty());  // its window is open
    }
    const QList<OrphanedDraft> left = drafts.orphaned();
    QCOMPARE(left.size(), 1);
    QCOMPARE(left[0].draft.text, written.text);
    QCOMPARE(left[0].draft.base, written.base);
    QCOMPARE(left[0].draft.file, written.file);
    QCOMPARE(left[0].draft.edited, written.edited);
  }

  void onlyTheOwnerCanReadADraft() {
    const DraftFolder drafts(folder());
    const auto keeper = keeperOf(drafts);
    keeper->keep(draft(QStringLiteral("/a.yaml"), QStringLiteral("secret")));
    keeper->finish();
    QCOMPARE(modeOf(folder()), mode_t{0700});
    const QStringList files = QDir(folder()).entryList(QDir::Files);
    QCOMPARE(files.size(), 2);
    for (const QString& name : files)
      QCOMPARE(modeOf(folder() + QLatin1Char('/') + name), mode_t{0600});
  }

  void aDroppedDraftIsRemoved() {
    const DraftFolder drafts(folder());
    const auto keeper = keeperOf(drafts);
    keeper->keep(draft(QStringLiteral("/a.yaml"), QStringLiteral("x")));
    keeper->drop();
    QVERIFY(QDir(folder()).isEmpty());
  }

  void aDraftIsTakenByOneWindowOnly() {
    const DraftFolder drafts(folder());
    {
      const auto keeper = keeperOf(drafts);
      keeper->keep(draft(QStringLiteral("/a.yaml"), QStringLiteral("x")));
    }
    const QString id = drafts.orphaned()[0].id;
    auto held = drafts.take(id);
    QVERIFY(held);
    const auto first = std::make_unique<DraftKeeper>(drafts, std::move(*held));
    held.reset();
    QVERIFY(!DraftFolder(folder()).take(id));
    QVERIFY(drafts.orphaned().isEmpty());
    first->drop();
    QVERIFY(!drafts.take(id));
    QVERIFY(QDir(folder()).isEmpty());
  }

  void draftsAreSortedByEditTimeWithoutSavedOnes() {
    const DraftFolder drafts(folder());
    QFile file(parent_->filePath(QStringLiteral("saved.yaml")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("name: saved\n");
    file.close();
    keeperOf(drafts)->keep(draft(QStringLiteral("/old.yaml"), QStringLiteral("x"), 1));
    keeperOf(drafts)->keep(draft(QStringLiteral("/new.yaml"), QStringLiteral("x"), 3));
    keeperOf(drafts)->keep(draft(file.fileName(), QStringLiteral("name: saved\n"), 2));
    const QList<OrphanedDraft> left = drafts.orphaned();
    QCOMPARE(left.size(), 2);
    QCOMPARE(left[0].draft.file, QStringLiteral("/new.yaml"));
    QCOMPARE(left[1].draft.file, QStringLiteral("/old.yaml"));
    QCOMPARE(QDir(folder()).entryList({QStringLiteral("*.json")}).size(), 2);
  }

  void anotherWindowsEditsAreSeen() {
    const DraftFolder drafts(folder());
    const auto own = keeperOf(drafts), other = keeperOf(drafts);
    own->keep(draft(QStringLiteral("/a.yaml"), QStringLiteral("x")));
    own->finish();
    QVERIFY(!drafts.isEditedElsewhere(QStringLiteral("/a.yaml"), own->id()));
    other->keep(draft(QStringLiteral("/a.yaml"), QStringLiteral("y")));
    other->finish();
    QVERIFY(drafts.isEditedElsewhere(QStringLiteral("/a.yaml"), own->id()));
    QVERIFY(!drafts.isEditedElsewhere(QStringLiteral("/b.yaml"), own->id()));
  }

  void otherFilesStayUntouched() {
    const DraftFolder drafts(folder());
    QVERIFY(drafts.orphaned().isEmpty());  // no folder
    drafts.make();
    QFile file(folder() + QStringLiteral("/notes.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\"text\": 3");
    file.close();
    QVERIFY(drafts.orphaned().isEmpty());
    QVERIFY(drafts.setAsideDamaged().isEmpty());
    QVERIFY(file.exists());
  }

  void aLockWithoutADraftIsRemoved() {
    const DraftFolder drafts(folder());
    drafts.make();  // a window that was killed before it wrote
    const HeldDraft owned = drafts.make();
    QVERIFY(drafts.orphaned().isEmpty());
    QCOMPARE(QDir(folder()).entryList(QDir::Files),
             QStringList{owned.id + QStringLiteral(".lock")});
  }

  void aDamagedDraftIsMovedAwayAndReportedOnce() {
    const DraftFolder drafts(folder());
    const HeldDraft owned = drafts.make();
    const auto damage = [this](const QString& id) {
      QFile file(folder() + QLatin1Char('/') + id + QStringLiteral(".json"));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write("{\"text\": \"what was ty");
    };
    damage(owned.id);  // its window is about to write it again
    const QString id = drafts.make().id;
    damage(id);
    keeperOf(drafts)->keep(draft(QStringLiteral("/a.yaml"), QStringLiteral("x")));
    const QString place = folder() + QLatin1Char('/') + id + QStringLiteral(".damaged");
    QCOMPARE(drafts.setAsideDamaged(), QStringList{place});
    QFile file(place);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("{\"text\": \"what was ty"));
    QVERIFY(drafts.setAsideDamaged().isEmpty());
    QCOMPARE(drafts.orphaned().size(), 1);
    QVERIFY(!QFile::exists(folder() + QLatin1Char('/') + id + QStringLiteral(".lock")));
  }

  void aDraftThatCannotBeWrittenIsReportedOnce() {
    const DraftFolder drafts(folder());
    const auto keeper = keeperOf(drafts);
    QSignalSpy failed(keeper.get(), &DraftKeeper::failed),
        recovered(keeper.get(), &DraftKeeper::recovered);
    QVERIFY(QDir(folder()).removeRecursively());
    for (int turn = 0; turn < 2; ++turn) {
      keeper->keep(draft(QStringLiteral("/a.yaml"), QStringLiteral("x")));
      keeper->finish();
    }
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(failed[0][0].toString().contains(folder()));
    QVERIFY(QDir().mkpath(folder()));
    keeper->keep(draft(QStringLiteral("/a.yaml"), QStringLiteral("x")));
    keeper->finish();
    QTRY_COMPARE(recovered.count(), 1);
  }

  void draftsAreInTheStateFolder() {
    const QByteArray before = qgetenv("XDG_STATE_HOME");
    qputenv("XDG_STATE_HOME", "/somewhere/state");
    QCOMPARE(DraftFolder::defaultFolder(), QStringLiteral("/somewhere/state/lockstep/drafts"));
    for (const char* unset : {"", "relative"}) {
      qputenv("XDG_STATE_HOME", unset);
      QCOMPARE(DraftFolder::defaultFolder(),
               QDir::homePath() + QStringLiteral("/.local/state/lockstep/drafts"));
    }
    before.isNull() ? qunsetenv("XDG_STATE_HOME") : qputenv("XDG_STATE_HOME", before);
  }
};

LOCKSTEP_TEST(TstDraftFolder)
#include "tst_draft_folder.moc"
