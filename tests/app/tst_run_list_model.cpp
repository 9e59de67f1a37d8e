#include <QAbstractItemModelTester>
#include <QDateTime>
#include <QDir>
#include <QLocale>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <map>

#include "app/runs/list/run_list_model.h"
#include "engine/base/atomic_file.h"
#include "engine/base/clock.h"
#include "engine/base/counter_hash.h"
#include "tests/app/made_run.h"
#include "tests/support/dead_disk.h"
#include "tests/support/test_main.h"
#include "widgets/jobs/jobs.h"

using namespace lockstep;
using app::RunListModel;
using tests::made;

class TstRunListModel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void listsRunsNewestFirst() {
    QTemporaryDir parent;
    tests::makeRun(parent.path(), made("older", 1000));
    tests::makeRun(parent.path(), made("newer", 2000));
    RunListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    load(model, parent.path());
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0).data(RunListModel::NameRole).toString(), QStringLiteral("newer"));
    QCOMPARE(model.index(1).data(RunListModel::NameRole).toString(), QStringLiteral("older"));
    QCOMPARE(model.index(0).data(RunListModel::StateTextRole).toString(),
             QStringLiteral("finished"));
    QCOMPARE(model.index(0).data(RunListModel::StepRole).toLongLong(), 40);
    QVERIFY(model.index(0).data(RunListModel::BestValueRole).toDouble() > 0.4);
    QVERIFY(model.index(0).data(RunListModel::StyleIndexRole) !=
            model.index(1).data(RunListModel::StyleIndexRole));
  }

  void rowsAreAddedAndRemovedWithoutAReset() {
    QTemporaryDir parent;
    tests::makeRun(parent.path(), made("first", 1000));
    RunListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    load(model, parent.path());
    const int style = model.index(0).data(RunListModel::StyleIndexRole).toInt();
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted),
        removed(&model, &QAbstractItemModel::rowsRemoved),
        reset(&model, &QAbstractItemModel::modelReset);
    tests::makeRun(parent.path(), made("second", 2000));
    model.refresh();
    QTRY_COMPARE(inserted.count(), 1);
    QCOMPARE(model.index(1).data(RunListModel::StyleIndexRole).toInt(), style);
    QVERIFY(QDir(parent.filePath(QStringLiteral("second"))).removeRecursively());
    model.forget({parent.filePath(QStringLiteral("second"))});
    QCOMPARE(removed.count(), 1);
    QCOMPARE(reset.count(), 0);
    QCOMPARE(model.rowCount(), 1);
  }

  void aChangedRunIsSignalledOnce() {
    QTemporaryDir parent;
    const QString folder = tests::makeRun(parent.path(), made("run", 1000));
    RunListModel model;
    load(model, parent.path());
    QSignalSpy changed(&model, &RunListModel::runChanged);
    const run_folder::Layout layout{folder.toStdString()};
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    info.step = 41;
    run_folder::writeRunInfo(layout, info);
    model.refresh();
    QTRY_COMPARE(model.index(0).data(RunListModel::StepRole).toLongLong(), 41);
    QCOMPARE(changed.count(), 1);
  }

  void notesAreShown() {
    QTemporaryDir parent;
    const QString folder = tests::makeRun(parent.path(), made("run", 1000));
    const run_folder::Layout layout{folder.toStdString()};
    run_folder::writeRunNotes(layout, {"", {"a", "b"}, "slower", false, true});
    RunListModel model;
    load(model, parent.path());
    const QModelIndex run = model.index(0);
    QCOMPARE(run.data(RunListModel::NameRole).toString(), QStringLiteral("run"));
    QCOMPARE(run.data(RunListModel::TagsRole).toStringList().join(u' '), QStringLiteral("a b"));
    QCOMPARE(run.data(RunListModel::NoteRole).toString(), QStringLiteral("slower"));
    QVERIFY(run.data(Qt::ToolTipRole).toString().endsWith(QStringLiteral("\nslower")));
    QVERIFY(run.data(RunListModel::PinnedRole).toBool());
    QVERIFY(!run.data(RunListModel::ArchivedRole).toBool());
    base::writeFileAtomically(run_folder::notesFile(layout), "[]");
    model.refresh();
    QTRY_VERIFY(run.data(RunListModel::NotesFaultRole)
                    .toString()
                    .contains(QStringLiteral("must be a JSON object")));
    QVERIFY(!run.data(RunListModel::PinnedRole).toBool());
  }

  void notesAreShownBeforeTheyAreReadAgain() {
    QTemporaryDir parent;
    const QString folder = tests::makeRun(parent.path(), made("a", 1000));
    tests::makeRun(parent.path(), made("b", 2000));
    RunListModel model;
    load(model, parent.path());
    const QModelIndex run = model.index(model.rowOf(folder));
    model.setNotes(folder, {"b", {}, "", false, false});
    QCOMPARE(run.data(RunListModel::NameRole).toString(), QStringLiteral("b"));
    QVERIFY(!run.data(RunListModel::StartTextRole).toString().isEmpty());
    model.setNotes(folder, {});
    QCOMPARE(run.data(RunListModel::NameRole).toString(), QStringLiteral("a"));
    QCOMPARE(run.data(RunListModel::StartTextRole).toString(), QString());
  }

  void durationIsUntilTheEndOrNow() {
    QTemporaryDir parent;
    const auto write = [&](const char* name, double started, double updated, double finished) {
      const QString folder = parent.filePath(QString::fromLatin1(name));
      QDir().mkpath(folder);
      run_folder::RunInfo info;
      info.state = protocol::RunState::Running;
      info.started = started;
      info.updated = updated;
      info.finished = finished;
      run_folder::writeRunInfo(run_folder::Layout(folder.toStdString()), info);
      return folder;
    };
    const QString ended = write("ended", 1000, 1500, 1600), killed = write("killed", 1000, 1500, 0),
                  waiting = write("waiting", 0, 1500, 0), alive = write("alive", 1000, 1500, 0);
    const auto lock = run_folder::RunLock::tryAcquire(run_folder::Layout(alive.toStdString()));
    RunListModel model;
    load(model, parent.path());
    const auto duration = [&](const QString& run) {
      return model.index(model.rowOf(run)).data(RunListModel::DurationRole);
    };
    QCOMPARE(duration(ended).toDouble(), 600.0);
    QCOMPARE(duration(killed).toDouble(), 500.0);
    QVERIFY(!duration(waiting).isValid());
    const double before = base::wallTimeSeconds();
    const double shown = duration(alive).toDouble() + 1000;
    QVERIFY(before <= shown && shown <= base::wallTimeSeconds());
  }

  void stylesAreTheSameAtTheNextStart() {
    QTemporaryDir parent;
    const QString first = tests::makeRun(parent.path(), made("first", 1000));
    const QString second = tests::makeRun(parent.path(), made("second", 2000));
    RunListModel model;
    QSignalSpy changed(&model, &RunListModel::stylesChanged);
    load(model, parent.path());
    QCOMPARE(changed.count(), 1);
    QVERIFY(model.styleIndexOf(first) != model.styleIndexOf(second));
    const QString third = tests::makeRun(parent.path(), made("third", 3000));
    {
      RunListModel fresh;  // nothing was saved: as if they were added one by one
      load(fresh, parent.path());
      QCOMPARE(fresh.styleIndexOf(first), model.styleIndexOf(first));
      QCOMPARE(fresh.styleIndexOf(second), model.styleIndexOf(second));
    }
    QVERIFY(QDir(first).removeRecursively());
    RunListModel next;
    next.restoreStyles(model.keptStyles());
    load(next, parent.path());
    QCOMPARE(next.styleIndexOf(second), model.styleIndexOf(second));
    QVERIFY(next.styleIndexOf(third) != next.styleIndexOf(second));
  }

  void runsOfTheSameNameShowTheirFolders() {
    QTemporaryDir here;
    tests::MadeRun plan = made("same", 1000);
    const QString a = tests::makeRun(here.path(), plan);
    plan.name = "other";
    const QString other = tests::makeRun(here.path(), plan);
    const run_folder::Layout layout{other.toStdString()};
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    info.name = "same";
    run_folder::writeRunInfo(layout, info);
    RunListModel model;
    load(model, here.path());
    QCOMPARE(model.namesOf({other}), QStringList{QStringLiteral("same")});
    QCOMPARE(model.namesOf({other, a}),
             (QStringList{QStringLiteral("other"), QStringLiteral("same")}));
  }

  void runsOfTheSameNameShowWhenTheyWereStarted() {
    QTemporaryDir parent;
    const auto makeNamed = [&](const char* folder, double created) {
      const QString path = tests::makeRun(parent.path(), made(folder, created));
      const run_folder::Layout layout{path.toStdString()};
      run_folder::RunInfo info = run_folder::readRunInfo(layout);
      info.name = "same";
      run_folder::writeRunInfo(layout, info);
      return path;
    };
    const auto start = [](double time, const char* format) {
      return QLocale(QLocale::English)
          .toString(QDateTime::fromSecsSinceEpoch(static_cast<qint64>(time)),
                    QString::fromLatin1(format));
    };
    const QString first = makeNamed("first", 60000), second = makeNamed("second", 600000);
    const QString other = tests::makeRun(parent.path(), made("other", 1000));
    RunListModel model;
    load(model, parent.path());
    const auto shown = [&](const QString& run) {
      return model.index(model.rowOf(run)).data(RunListModel::StartTextRole).toString();
    };
    QCOMPARE(shown(first), start(60000, "d MMM, HH:mm"));
    QCOMPARE(shown(second), start(600000, "d MMM, HH:mm"));
    QCOMPARE(shown(other), QString());
    QCOMPARE(model.listedName(model.rowOf(first)), QStringLiteral("same, ") + shown(first));
    QCOMPARE(model.listedName(model.rowOf(other)), QStringLiteral("other"));

    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    const QString third = makeNamed("third", 60007);
    model.refresh();
    QTRY_COMPARE(shown(third), start(60007, "d MMM, HH:mm:ss"));
    QCOMPARE(shown(first), start(60000, "d MMM, HH:mm:ss"));
    QCOMPARE(shown(second), start(600000, "d MMM, HH:mm"));
    const auto isForAll = [](const QList<QVariant>& signal) {
      return signal[2].value<QList<int>>() == QList<int>{RunListModel::StartTextRole};
    };
    QVERIFY2(std::any_of(changed.begin(), changed.end(), isForAll), "the rows of the others, too");

    for (const QString& gone : {second, third}) QVERIFY(QDir(gone).removeRecursively());
    model.forget({second, third});
    QTRY_COMPARE(shown(first), QString());
  }

  void aFailedListingKeepsTheRunsAndIsReported_data() {
    QTest::addColumn<bool>("isFile");
    QTest::addColumn<QString>("words");
    QTest::newRow("no folder any more") << true << "cannot be listed";
    QTest::newRow("gone") << false << "no longer exists";
  }
  void aFailedListingKeepsTheRunsAndIsReported() {
    QFETCH(bool, isFile);
    QFETCH(QString, words);
    QTemporaryDir top;
    const QString parent = top.filePath(QStringLiteral("runs"));
    const QString aside = top.filePath(QStringLiteral("aside"));
    QVERIFY(QDir().mkpath(parent));
    const QString run = tests::makeRun(parent, made("run", 1000));
    RunListModel model;
    load(model, parent);
    QVERIFY(QDir().rename(parent, aside));
    QFile file(parent);
    if (isFile) QVERIFY(file.open(QIODevice::WriteOnly));
    model.refresh();
    QTRY_VERIFY2(model.listingError().contains(words), qPrintable(model.listingError()));
    QVERIFY(model.listingError().contains(parent));
    QCOMPARE(model.rowOf(run), 0);
    QVERIFY(!model.index(0).data(RunListModel::VanishedRole).toBool());

    if (isFile) QVERIFY(file.remove());
    QVERIFY(QDir().rename(aside, parent));
    model.refresh();
    QTRY_COMPARE(model.listingError(), QString());
    QCOMPARE(model.rowCount(), 1);
  }

  void aVanishedRunStaysUntilItIsDismissed() {
    QTemporaryDir parent, elsewhere;
    const QString gone = tests::makeRun(parent.path(), made("gone", 2000));
    tests::makeRun(parent.path(), made("stays", 1000));
    RunListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    load(model, parent.path());
    const auto hasVanished = [&] {
      return model.index(0).data(RunListModel::VanishedRole).toBool();
    };
    QVERIFY(QDir(gone).removeRecursively());
    model.refresh();
    QTRY_VERIFY(hasVanished());
    QCOMPARE(model.index(0).data(RunListModel::StateTextRole).toString(),
             QStringLiteral("vanished"));
    QVERIFY(model.index(0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("deleted")));
    tests::makeRun(parent.path(), made("gone", 2000));
    model.refresh();
    QTRY_VERIFY(!hasVanished());
    QVERIFY(QDir(gone).removeRecursively());
    model.refresh();
    QTRY_VERIFY(hasVanished());
    model.forget({gone});
    QCOMPARE(model.rowCount(), 1);
    tests::makeRun(parent.path(), made("gone", 2000));
    QTRY_VERIFY_WITH_TIMEOUT((model.refresh(), model.rowCount() == 2), 20000);
    // Another folder is listed: nothing has vanished.
    load(model, elsewhere.path());
    QCOMPARE(model.rowCount(), 0);
  }

  void runsOfSeveralFoldersAreListed() {
    QTemporaryDir one, other;
    tests::makeRun(one.path(), made("a", 1000));
    const QString b = tests::makeRun(other.path(), made("b", 2000));
    RunListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QSignalSpy loaded(&model, &RunListModel::loaded);
    model.setParentFolders({one.path(), other.path(), one.path() + QStringLiteral("/.")});
    QVERIFY(loaded.wait());
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.parentFolders().size(), 2);
    QCOMPARE(model.rowOf(b), 0);
    model.setParentFolders({one.path()});
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.rowOf(b), -1);
  }

  void aFolderThatHangsKeepsNothingElseBack() {
    tests::DeadDisk hung;
    if (!hung.isThere()) QSKIP("no right to mount a file system");
    QTemporaryDir good;
    tests::makeRun(good.path(), made("a", 1000));
    hung.stop();
    RunListModel model;
    QSignalSpy loaded(&model, &RunListModel::loaded);
    model.setParentFolders({hung.path(), good.path()});
    QTRY_COMPARE(model.rowCount(), 1);
    QVERIFY(!model.isLoaded());
    QTRY_VERIFY_WITH_TIMEOUT(model.isLoaded(), 20000);
    QCOMPARE(loaded.count(), 1);
    QCOMPARE(model.listingError(),
             QStringLiteral("%1: does not answer; its runs may be out of date").arg(hung.path()));
    tests::makeRun(good.path(), made("later", 2000));
    model.refresh();
    QTRY_COMPARE(model.rowCount(), 2);
    hung.revive();
    QTRY_COMPARE_WITH_TIMEOUT(model.listingError(), QString(), 20000);
    QCOMPARE(model.rowCount(), 2);
  }

  void aMissingFolderHasNoRuns() {
    QTemporaryDir parent;
    const QString later = parent.filePath(QStringLiteral("runs"));
    RunListModel model;
    load(model, later);
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(QDir().mkpath(later));
    tests::makeRun(later, made("late", 1000));
    model.refresh();
    QTRY_COMPARE(model.rowCount(), 1);
  }

  void aSingleRunIsListedOnceWhereverItLies() {
    QTemporaryDir parent, elsewhere;
    tests::makeRun(parent.path(), made("here", 1000));
    const QString single = tests::makeRun(elsewhere.path(), made("there", 500));
    RunListModel model;
    load(model, parent.path());
    model.addRun(single);
    model.addRun(single);
    model.addRun(parent.filePath(QStringLiteral("here")));
    QTRY_COMPARE(model.rowCount(), 2);
    QCOMPARE(model.rowOf(single), 1);
  }

  /// Runs come and go anywhere in the list, also with the same time.
  void rowsAreThoseOfAPlainListAfterAnyChanges() {
    QTemporaryDir parent;
    RunListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    load(model, parent.path());
    std::map<QString, double> plain;  // created, by folder
    std::uint64_t drawn = 0;
    const auto draw = [&](std::uint64_t below) { return base::counterHash({7, ++drawn}) % below; };
    for (int round = 0; round < 12; ++round) {
      const std::uint64_t added = draw(20);
      for (std::uint64_t i = 0; i < added; ++i) {
        const QString folder = parent.filePath(QStringLiteral("run-%1").arg(drawn));
        run_folder::RunInfo info;
        info.name = "run";
        info.created = static_cast<double>(draw(12));
        QVERIFY(QDir().mkpath(folder));
        run_folder::writeRunInfo(run_folder::Layout(folder.toStdString()), info);
        plain[folder] = info.created;
      }
      QStringList gone;
      for (auto run = plain.begin(); run != plain.end();) {
        const bool isRemoved = draw(3) == 0;
        if (isRemoved) QVERIFY(QDir(run->first).removeRecursively());
        if (isRemoved) gone.append(run->first);
        run = isRemoved ? plain.erase(run) : std::next(run);
      }
      model.forget(gone);
      QTRY_COMPARE(model.rowCount(), static_cast<int>(plain.size()));
      for (int row = 0; row < model.rowCount(); ++row) {
        const QString folder = model.index(row).data(RunListModel::FolderRole).toString();
        QCOMPARE(model.rowOf(folder), row);
        QCOMPARE(plain.count(folder), std::size_t{1});
        const double created = model.index(row).data(RunListModel::CreatedRole).toDouble();
        QCOMPARE(created, plain[folder]);
        if (row > 0)
          QVERIFY(model.index(row - 1).data(RunListModel::CreatedRole).toDouble() >= created);
      }
    }
  }

  /// Another read is asked for when the first one is done, but not delivered.
  void noListingIsLost() {
    QTemporaryDir parent, elsewhere;
    tests::makeRun(parent.path(), made("here", 1000));
    const QString single = tests::makeRun(elsewhere.path(), made("there", 500));
    RunListModel model;
    model.setParentFolders({parent.path()});
    QVERIFY(jobs::waitForAll(std::chrono::seconds(10)));
    model.addRun(single);
    QTRY_COMPARE(model.rowCount(), 2);
    QTRY_VERIFY(model.isLoaded());  // the two places are looked at apart
  }

  void liveStateIsShownBeforeRunJsonHasIt() {
    QTemporaryDir parent;
    const QString folder = tests::makeRun(parent.path(), made("run", 1000));
    RunListModel model;
    load(model, parent.path());
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.setLive(folder, protocol::RunState::Evaluating, 99,
                  run_folder::Best{"segm/AP", 0.25, 90});
    QCOMPARE(model.index(model.rowOf(folder)).data(app::RunListModel::BestValueRole).toDouble(),
             0.25);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(model.index(0).data(RunListModel::StateTextRole).toString(),
             QStringLiteral("evaluating"));
    QCOMPARE(model.index(0).data(RunListModel::StepRole).toLongLong(), 99);
  }

 private:
  static void load(RunListModel& model, const QString& folder) {
    QSignalSpy loaded(&model, &RunListModel::loaded);
    model.setParentFolders({folder});
    QVERIFY(loaded.wait());
  }
};

LOCKSTEP_TEST(TstRunListModel)
#include "tst_run_list_model.moc"
