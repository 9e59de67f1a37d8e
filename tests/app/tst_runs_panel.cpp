#include <QApplication>
#include <QContextMenuEvent>
#include <QDir>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>
#include <fstream>
#include <memory>

#include "app/runs/list/run_list_model.h"
#include "app/runs/list/run_tree.h"
#include "app/runs/panel/run_menu.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::RunListModel;
using app::RunsPanel;

class TstRunsPanel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    parent_ = std::make_unique<QTemporaryDir>();
    for (const char* name : {"alpha", "beta"}) makeRun(name);
    makeRun("gamma", "stopped");
    model_ = std::make_unique<RunListModel>();
    panel_ = std::make_unique<RunsPanel>(model_.get());
    panel_->resize(260, 500);
    panel_->show();
    QSignalSpy loaded(model_.get(), &RunListModel::loaded);
    model_->setParentFolders({parent_->path()});
    QVERIFY(loaded.wait());
  }
  void cleanup() {
    panel_.reset();
    model_.reset();
  }

  void theFilterAcceptsTextAndExpressions_data() {
    QTest::addColumn<QString>("filter");
    QTest::addColumn<int>("rows");
    QTest::newRow("text") << QStringLiteral("alp") << 1;
    QTest::newRow("state") << QStringLiteral("stopped") << 1;
    QTest::newRow("expression") << QStringLiteral("/^(alpha|beta)/") << 2;
    QTest::newRow("nothing") << QStringLiteral("delta") << 0;
    QTest::newRow("dots are dots") << QStringLiteral("a.p") << 0;
    QTest::newRow("no expression") << QStringLiteral("/(/") << 3;
  }
  void theFilterAcceptsTextAndExpressions() {
    QFETCH(QString, filter);
    QFETCH(int, rows);
    panel_->selectRun(folder("alpha"));
    filterBy(filter);
    QTRY_COMPARE(visible().size(), rows);
  }

  void aFilterHidesWithoutDeselecting() {
    panel_->selectRun(folder("alpha"));
    panel_->addToSelection(folder("beta"));
    QSignalSpy changed(panel_.get(), &RunsPanel::selectionChanged);
    filterBy(QStringLiteral("gamma"));
    QTRY_COMPARE(visible(), QStringList{QStringLiteral("gamma")});
    QCOMPARE(panel_->selectedRuns(), (QStringList{folder("alpha"), folder("beta")}));
    QCOMPARE(panel_->currentRun(), folder("alpha"));
    QVERIFY(says(QStringLiteral("2 of 3 hidden, 2 of them selected")));
    QVERIFY(panel_->clearFilter());
    QCOMPARE(visible().size(), 3);
    QCOMPARE(panel_->selectedRuns(), (QStringList{folder("alpha"), folder("beta")}));
    QCOMPARE(changed.count(), 0);
  }

  void aRunStartedUnderAFilterIsSelectedAndListed() {
    panel_->selectRun(folder("alpha"));
    filterBy(QStringLiteral("alp"));
    QTRY_COMPARE(visible().size(), 1);
    makeRun("new");
    model_->addRun(folder("new"));
    panel_->selectRun(folder("new"));
    QTRY_COMPARE(panel_->selectedRuns(), QStringList{folder("new")});
    QCOMPARE(visible(), (QStringList{QStringLiteral("new"), QStringLiteral("alpha")}));
    QVERIFY(says(QStringLiteral("2 of 4 hidden")));
    filterBy(QStringLiteral("alph"));  // another filter: that hides it, and leaves it selected
    QTRY_COMPARE(visible(), QStringList{QStringLiteral("alpha")});
    QCOMPARE(panel_->selectedRuns(), QStringList{folder("new")});
  }

  void selectAllSelectsVisibleRows() {
    panel_->selectRun(folder("alpha"));
    filterBy(QStringLiteral("/alpha|gamma/"));
    QTRY_COMPARE(visible().size(), 2);
    list()->setFocus();
    QTest::keyClick(list(), Qt::Key_A, Qt::ControlModifier);
    QStringList selected = panel_->selectedRuns();
    selected.sort();
    QCOMPARE(selected, (QStringList{folder("alpha"), folder("gamma")}));
  }

  void aClickUnderAFilterSelectsOnlyThatRun() {
    panel_->selectRun(folder("alpha"));
    filterBy(QStringLiteral("gamma"));
    QTRY_COMPARE(visible().size(), 1);
    const QRect row = list()->visualRect(list()->model()->index(0, 0));
    QTest::mouseClick(list()->viewport(), Qt::LeftButton, {}, row.center());
    QCOMPARE(panel_->selectedRuns(), QStringList{folder("gamma")});
  }

  void aClickBesideTheRunsKeepsTheSelection() {
    panel_->selectRun(folder("alpha"));
    panel_->addToSelection(folder("beta"));
    const QPoint beside(list()->viewport()->width() / 2, list()->viewport()->height() - 5);
    QVERIFY(!list()->indexAt(beside).isValid());
    for (const Qt::MouseButton button : {Qt::LeftButton, Qt::RightButton})
      QTest::mouseClick(list()->viewport(), button, {}, beside);
    QCOMPARE(panel_->selectedRuns(), (QStringList{folder("alpha"), folder("beta")}));
  }

  void aHiddenCurrentRunIsSignalled() {
    panel_->selectRun(folder("alpha"));
    QSignalSpy signalled(panel_.get(), &RunsPanel::currentHiddenChanged);
    filterBy(QStringLiteral("gamma"));
    QTRY_COMPARE(signalled.count(), 1);
    QVERIFY(panel_->isCurrentHidden());
    QVERIFY(panel_->clearFilter());
    QCOMPARE(signalled.count(), 2);
    QVERIFY(!panel_->isCurrentHidden());
  }

  void aFinishedRunHasAReasonNotToBeResumed() {
    makeRun("stopped", "stopped", 20);
    makeRun("early", "finished", 20);
    model_->refresh();
    QTRY_COMPARE(model_->rowCount(), 5);
    const auto blocked = [&](const char* name) {
      return RunsPanel::resumeBlockedBy(model_->index(model_->rowOf(folder(name))));
    };
    QVERIFY(blocked("alpha").contains(QStringLiteral("a higher solver.max_steps")));
    QVERIFY(blocked("early").contains(QStringLiteral("a higher evaluation.early_stop.patience")));
    QCOMPARE(blocked("stopped"), QString());
  }

  void aFailedListingIsShownAboveTheRuns() {
    QVERIFY(parent_->remove());
    model_->refresh();
    QTRY_VERIFY(says(QStringLiteral("out of date")));
    QCOMPARE(visible().size(), 3);
  }

  void aFilterComparesConfigurationAndNotes() {
    makeRun("quick");
    writeNotes("quick", [](run_folder::RunNotes& notes) { notes.tags = {"fast"}; });
    std::ofstream(folder("quick").toStdString() + "/config.yaml")
        << "name: quick\nsolver:\n  base_lr: 0.05\n";
    model_->refresh();
    QTRY_COMPARE(model_->rowCount(), 4);
    filterBy(QStringLiteral("solver.base_lr>=0.05"));
    QTRY_COMPARE(visible(), QStringList{QStringLiteral("quick")});
    filterBy(QStringLiteral("tag=fast state=finished"));
    QTRY_COMPARE(visible(), QStringList{QStringLiteral("quick")});
    filterBy({});
    QTRY_COMPARE(visible().size(), 4);
    filterBy(QStringLiteral("fast"));
    QTRY_COMPARE(visible(), QStringList{QStringLiteral("quick")});
    filterBy(QStringLiteral("solver.base_l>0"));
    QTRY_VERIFY(says(QStringLiteral("nearest: solver.base_lr")));
    filterBy(QStringLiteral("step>"));
    QTRY_VERIFY(says(QStringLiteral("step>")));
  }

  void archivedRunsAreHiddenButStaySelected() {
    panel_->selectRun(folder("alpha"));
    writeNotes("alpha", [](run_folder::RunNotes& notes) { notes.archived = true; });
    model_->setNotes(folder("alpha"), notesOf("alpha"));
    QTRY_COMPARE(visible().size(), 3);  // it was asked for, as long as the filter is the same
    filterBy(QStringLiteral("a"));
    QTRY_COMPARE(visible(), (QStringList{QStringLiteral("gamma"), QStringLiteral("beta")}));
    QCOMPARE(panel_->currentRun(), folder("alpha"));
    panel_->restoreViewState({{QStringLiteral("archived"), true}});
    QCOMPARE(visible().size(), 3);
  }

  void theGroupWithoutAValueSaysWhatIsNotSet() {
    const auto titles = [this] {
      const auto* tree = static_cast<app::RunTree*>(list()->model());
      QStringList all;
      for (int row = 0; row < tree->rowCount(); ++row)
        all << tree->sectionTitle(tree->index(row, 0));
      return all;
    };
    panel_->groupBy(QStringLiteral("tag"));
    QCOMPARE(titles(), QStringList{QStringLiteral("no tag")});
    const auto config = [this](const char* run) {
      return run_folder::Layout(folder(run).toStdString()).config();
    };
    std::ofstream(config("alpha")) << "solver: {max_steps: 5}\n";
    std::ofstream(config("beta")) << "name: beta\n";
    std::ofstream(config("gamma")) << "solver: [\n";
    const QString key = QStringLiteral("solver.max_steps");
    panel_->groupBy(key);
    QTRY_COMPARE(titles(),
                 (QStringList{key + QStringLiteral(" = 5"), key + QStringLiteral(" not read"),
                              key + QStringLiteral(" not set")}));
  }

  void aNewRunUnfoldsItsGroup() {
    panel_->groupBy(QStringLiteral("state"));
    const auto groupOf = [this](const char* run) {
      const auto* tree = static_cast<app::RunTree*>(list()->model());
      return tree->indexOf(folder(run)).parent();
    };
    QVERIFY(groupOf("alpha").isValid() && groupOf("gamma").isValid());
    list()->collapse(groupOf("alpha"));  // finished
    list()->collapse(groupOf("gamma"));  // stopped
    makeRun("new");
    model_->refresh();
    QTRY_VERIFY(list()->isExpanded(groupOf("new")));
    QVERIFY(!list()->isExpanded(groupOf("gamma")));
    list()->collapse(groupOf("new"));  // it is not new any more
    model_->setLive(folder("beta"), protocol::RunState::Stopped, 5);
    QTRY_COMPARE(groupOf("beta"), groupOf("gamma"));
    QVERIFY(!list()->isExpanded(groupOf("new")));
  }

  void ctrlZBringsRunsBackFromTheTrash() {
    QSignalSpy trashed(panel_.get(), &RunsPanel::trashRequested),
        restored(panel_.get(), &RunsPanel::restoreRequested);
    panel_->selectRun(folder("alpha"));
    panel_->focusList();
    QVERIFY(QTest::qWaitForWindowActive(panel_.get()));
    QTest::keyClick(list(), Qt::Key_Delete);
    QCOMPARE(trashed.count(), 1);
    panel_->setRestorable(true);
    QTest::keyClick(list(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(restored.count(), 1);
    model_->forget({folder("alpha"), folder("beta"), folder("gamma")});
    QTRY_VERIFY(!list()->isVisible());
    QTest::keyClick(panel_->focusWidget() ? panel_->focusWidget() : panel_.get(), Qt::Key_Z,
                    Qt::ControlModifier);
    QCOMPARE(restored.count(), 2);
  }

  void archivedRunsAreOfferedWhereThereAreNoOthers() {
    for (const char* run : {"alpha", "beta", "gamma"}) {
      run_folder::RunNotes notes;
      notes.archived = true;
      model_->setNotes(folder(run), notes);
    }
    filterBy(QStringLiteral("a"));
    QTRY_VERIFY(visible().isEmpty());
    const auto click = [this](const char* text) {
      for (auto* button : panel_->findChildren<QPushButton*>())
        if (button->isVisible() && button->text() == QLatin1String(text)) return button->click();
      QFAIL(text);
    };
    click("Clear the filter");
    QVERIFY(says(QStringLiteral("Only archived runs")));
    click("Show archived runs");
    QCOMPARE(visible().size(), 3);
  }

  void aClickOnAHeaderSorts() {
    panel_->restoreViewState({{QStringLiteral("columns"),
                               QStringList{QStringLiteral("state"), QStringLiteral("step")}}});
    QCOMPARE(list()->model()->columnCount(), 3);
    QHeaderView* header = list()->header();
    QVERIFY(header->isVisible());
    const auto click = [&](int column) {
      const QPoint place(header->sectionViewportPosition(column) + 20, header->height() / 2);
      QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, place);
    };
    click(1);
    QCOMPARE(visible().last(), QStringLiteral("gamma"));  // stopped
    click(1);
    QCOMPARE(visible().first(), QStringLiteral("gamma"));
    click(1);
    QCOMPARE(visible(), (QStringList{QStringLiteral("gamma"), QStringLiteral("beta"),
                                     QStringLiteral("alpha")}));
    QCOMPARE(panel_->viewState().value(QStringLiteral("sort")).toString(), QString());
  }

  void theMenuOfColumnsHasTheTagsOfLastValues() {
    const auto open = [](QMenu* menu, const char* entry) {
      Q_EMIT menu->aboutToShow();
      return actionOf(*menu, QLatin1String(entry))->menu();
    };
    QMenu* tags = open(open(panel_->viewButton()->menu(), "Columns"), "Last values");
    Q_EMIT tags->aboutToShow();
    QTRY_VERIFY(actionOf(*tags, QStringLiteral("segm/AP")));
    QVERIFY2(!actionOf(*tags, QStringLiteral("loss_total")), "is the end of a tag");
  }

  /// Runs come, change, vanish and are taken off the list while it is open.
  void theMenuOfARunStaysOpenWhileTheListChanges() {
    QSignalSpy requests(panel_.get(), &RunsPanel::notesChangeRequested);
    bool isDone = false;
    QTimer::singleShot(0, panel_.get(), [&] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      QVERIFY(menu);
      const auto close = qScopeGuard([menu] { menu->close(); });
      makeRun("meanwhile");
      QVERIFY(QDir(folder("alpha")).removeRecursively());
      model_->refresh();
      QTRY_COMPARE(model_->rowCount(), 4);
      model_->setLive(folder("gamma"), protocol::RunState::Running, 5);
      model_->forget({folder("alpha"), folder("beta")});
      QTRY_COMPARE(visible(), (QStringList{QStringLiteral("meanwhile"), QStringLiteral("gamma")}));
      QVERIFY(menu->isVisible());
      const QList<QAction*> actions = menu->actions();
      const auto archive = std::ranges::find_if(
          actions, [](QAction* action) { return action->text() == QStringLiteral("Archive"); });
      QVERIFY(archive != actions.end());
      menu->setActiveAction(*archive);
      QTest::keyClick(menu, Qt::Key_Return);
      isDone = true;
    });
    openMenu("beta");
    QVERIFY(isDone);
    QCOMPARE(requests.count(), 1);
    QCOMPARE(requests[0][0].toStringList(), QStringList{folder("beta")});  // the one clicked on
  }

  void theMenuOfAQueuedRunFollowsItsState() {
    makeRun("waiting");
    const run_folder::Layout layout(folder("waiting").toStdString());
    const auto lock = run_folder::RunLock::tryAcquire(layout);
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    info.state = protocol::RunState::Queued;
    info.queuePosition = 1;
    run_folder::writeRunInfo(layout, info);
    model_->refresh();
    QTRY_VERIFY(model_->index(model_->rowOf(folder("waiting")))
                    .data(RunListModel::QueuePositionRole)
                    .isValid());
    panel_->selectRun(folder("waiting"));
    QSignalSpy requests(panel_.get(), &RunsPanel::leaveQueueRequested);
    const std::unique_ptr<QMenu> menu(panel_->makeMenu());
    QAction* leave = actionOf(*menu, QStringLiteral("Remove from queue"));
    QVERIFY(leave && leave->isEnabled());
    panel_->findChild<QLineEdit*>()->setText(QStringLiteral("state=queued"));
    // The run starts while the menu is open, and the filter hides it.
    model_->setLive(folder("waiting"), protocol::RunState::Running, 1);
    QVERIFY(!leave->isEnabled());
    QVERIFY2(leave->toolTip().contains(QStringLiteral("no longer waits")),
             qPrintable(leave->toolTip()));
    leave->trigger();
    QCOMPARE(requests.count(), 0);
  }

  void theMenuOfARunThatBeginsToTrainDoesNotResumeIt() {
    panel_->selectRun(folder("gamma"));
    const std::unique_ptr<QMenu> menu(panel_->makeMenu());
    QAction* resume = actionOf(*menu, QStringLiteral("Resume from the latest checkpoint"));
    QAction* trash = actionOf(*menu, QStringLiteral("Move to trash"));
    QVERIFY(resume->isEnabled() && trash->isEnabled());
    const run_folder::Layout layout(folder("gamma").toStdString());
    const auto lock = run_folder::RunLock::tryAcquire(layout);
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    info.state = protocol::RunState::Running;
    run_folder::writeRunInfo(layout, info);
    model_->refresh();
    QTRY_VERIFY(!resume->isEnabled());
    QVERIFY(!trash->isEnabled());
  }

  void aNameIsEditedInPlace() {
    panel_->selectRun(folder("beta"));
    QSignalSpy requests(panel_.get(), &RunsPanel::notesChangeRequested);
    list()->setFocus();
    QTest::keyClick(list(), Qt::Key_F2);
    auto* editor = list()->findChild<QLineEdit*>();
    QVERIFY(editor);
    QCOMPARE(editor->text(), QStringLiteral("beta"));
    makeRun("meanwhile");  // the list changes under the editor
    model_->refresh();
    QTRY_COMPARE(visible().size(), 4);
    QVERIFY(editor->isVisible());
    editor->setText(QStringLiteral("second best"));
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_COMPARE(requests.count(), 1);
    QCOMPARE(requests[0][0].toStringList(), QStringList{folder("beta")});
    run_folder::RunNotes notes;
    requests[0][1].value<run_folder::NotesChange>()(notes);
    QCOMPARE(notes.name, std::string("second best"));
  }

 private:
  void writeNotes(const char* run, const run_folder::NotesChange& change) {
    run_folder::changeRunNotes(run_folder::Layout(folder(run).toStdString()), change);
  }
  run_folder::RunNotes notesOf(const char* run) {
    return run_folder::readRunNotes(run_folder::Layout(folder(run).toStdString()));
  }
  void makeRun(const char* name, const char* state = "finished", std::int64_t steps = 40) {
    tests::MadeRun plan;
    plan.name = name;
    plan.state = state;
    plan.steps = steps;
    plan.created = ++created_;
    tests::makeRun(parent_->path(), plan);
  }
  QString folder(const char* name) const { return parent_->filePath(QString::fromLatin1(name)); }
  /// Returns once the menu is closed.
  void openMenu(const char* run) {
    for (int row = 0; row < list()->model()->rowCount(); ++row) {
      const QModelIndex index = list()->model()->index(row, 0);
      if (index.data(RunListModel::FolderRole).toString() != folder(run)) continue;
      const QPoint place = list()->visualRect(index).center();
      QContextMenuEvent event(QContextMenuEvent::Mouse, place,
                              list()->viewport()->mapToGlobal(place));
      QCoreApplication::sendEvent(list()->viewport(), &event);
    }
  }
  static QAction* actionOf(const QMenu& menu, const QString& text) {
    for (QAction* action : menu.actions())
      if (action->text().section(u'\t', 0, 0) == text) return action;
    return nullptr;
  }
  QTreeView* list() const { return panel_->findChild<QTreeView*>(); }
  void filterBy(const QString& text) { panel_->findChild<QLineEdit*>()->setText(text); }
  QStringList visible() const {
    QStringList names;
    for (int row = 0; row < list()->model()->rowCount(); ++row)
      names.append(list()->model()->index(row, 0).data(RunListModel::NameRole).toString());
    return names;
  }
  bool says(const QString& text) const {
    for (const QLabel* label : panel_->findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(text)) return true;
    return false;
  }

  std::unique_ptr<QTemporaryDir> parent_;
  std::unique_ptr<RunListModel> model_;
  std::unique_ptr<RunsPanel> panel_;
  double created_ = 1000;
};

LOCKSTEP_TEST(TstRunsPanel)
#include "tst_runs_panel.moc"
