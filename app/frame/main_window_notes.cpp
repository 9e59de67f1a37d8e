// MainWindow's handling of what a person says of runs, and of those that go to the trash.

#include "app/frame/main_window.h"
#include "app/frame/page_area.h"
#include "app/runs/list/notes_store.h"
#include "app/runs/list/run_list_model.h"
#include "app/runs/list/run_trash.h"
#include "app/runs/panel/runs_panel.h"

namespace lockstep::app {
namespace {

QString trashedTitle(qsizetype runs) {
  return MainWindow::tr("%n run(s) were moved to the trash", "", static_cast<int>(runs));
}

}  // namespace

void MainWindow::connectNotes() {
  connect(runs_, &RunsPanel::notesChangeRequested, this,
          [this](const QStringList& folders, const run_folder::NotesChange& change) {
            for (const QString& folder : folders) {
              const int row = runList_->rowOf(folder);
              notes_->change({folder}, change,
                             row < 0 ? run_folder::RunNotes() : runList_->notesThere(row));
            }
          });
  connect(runs_, &RunsPanel::styleRequested, runList_, &RunListModel::setStyle);
  connect(notes_, &NotesStore::changed, runList_, &RunListModel::setNotes);
  connect(notes_, &NotesStore::failed, this, [this](const QString&, const QString& why) {
    pages_->showFailure(tr("The notes of a run were not saved"), why);
  });
  connect(runs_, &RunsPanel::dismissRequested, runList_, &RunListModel::forget);
  connect(runs_, &RunsPanel::trashRequested, trash_, &RunTrash::move);
  connect(runs_, &RunsPanel::restoreRequested, trash_, &RunTrash::undo);
  connect(trash_, &RunTrash::moved, this, &MainWindow::showTrashed);
  connect(trash_, &RunTrash::restored, this,
          [this](const QStringList& folders, const QString& why) {
            runs_->setRestorable(trash_->canUndo());
            pages_->hideMessage(trashedTitle(folders.size()));
            if (!why.isEmpty())
              pages_->showFailure(tr("Some runs were not restored from the trash"), why);
            for (const QString& folder : folders) runs_->addToSelection(folder);
            runList_->refresh();
          });
}

void MainWindow::showTrashed(const QStringList& folders, const QString& failure) {
  runs_->setRestorable(trash_->canUndo());
  const QStringList names = runList_->namesOf(folders);
  runList_->forget(folders);
  if (folders.isEmpty()) return pages_->showFailure(tr("Nothing was moved to the trash"), failure);
  QString detail = names.join(QStringLiteral(", "));
  if (!failure.isEmpty()) detail += tr("\nNot moved:\n%1").arg(failure);
  pages_->showNotice(trashedTitle(folders.size()), detail, tr("Undo"), [this] { trash_->undo(); });
}

}  // namespace lockstep::app
