#include "app/runs/run_menu.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QInputDialog>
#include <QPainter>
#include <QPixmap>
#include <QUrl>
#include <algorithm>

#include "app/models/run_list_model.h"
#include "app/models/run_tree.h"
#include "app/runs/runs_panel.h"
#include "widgets/named_action.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

QIcon sampleOf(const widgets::RunStyle& style, qreal pixelRatio) {
  QPixmap pixmap(QSize(40, 16) * pixelRatio);
  pixmap.setDevicePixelRatio(pixelRatio);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  QPen pen(style.color, 3, Qt::SolidLine, Qt::FlatCap);
  if (!style.dashes.isEmpty()) pen.setDashPattern(style.dashes);
  painter.setPen(pen);
  painter.drawLine(2, 8, 38, 8);
  return pixmap;
}

QStringList foldersOf(const RunMenu::Runs& runs) {
  QStringList folders;
  for (const QPersistentModelIndex& run : runs)
    folders.append(run.data(RunListModel::FolderRole).toString());
  return folders;
}

/// None is on another machine.
bool areHere(const RunMenu::Runs& runs) {
  return std::ranges::all_of(
      runs, [](const auto& run) { return run.data(RunListModel::HostRole).toString().isEmpty(); });
}

bool all(const RunMenu::Runs& runs, int role) {
  return std::ranges::all_of(runs, [role](const auto& run) { return run.data(role).toBool(); });
}

/// Tags that all of the runs have.
QStringList commonTags(const RunMenu::Runs& runs) {
  QStringList common = runs.front().data(RunListModel::TagsRole).toStringList();
  for (const QPersistentModelIndex& run : runs) {
    const QStringList tags = run.data(RunListModel::TagsRole).toStringList();
    common.removeIf([&](const QString& tag) { return !tags.contains(tag); });
  }
  return common;
}

/// `known`: tags that may have commas themselves.
QStringList tagsIn(QString text, const QStringList& known) {
  QStringList tags;
  for (const QString& tag : known) {
    const qsizetype at = tag.contains(u',') ? text.indexOf(tag) : -1;
    if (at < 0) continue;
    text.replace(at, tag.size(), QStringLiteral(","));
    tags.append(tag);
  }
  for (const QString& part : text.split(u','))
    if (const QString tag = part.trimmed(); !tag.isEmpty() && !tags.contains(tag)) tags.append(tag);
  return tags;
}

/// Leaves the tags that only some of the runs have.
run_folder::NotesChange tagsChange(const QStringList& before, const QStringList& after) {
  return [before, after](run_folder::RunNotes& notes) {
    for (const QString& tag : before)
      if (!after.contains(tag)) std::erase(notes.tags, tag.toStdString());
    for (const QString& tag : after)
      if (std::ranges::find(notes.tags, tag.toStdString()) == notes.tags.end())
        notes.tags.push_back(tag.toStdString());
  };
}

}  // namespace

RunMenu::RunMenu(RunsPanel* panel, const RunMenu::Runs& runs)
    : QMenu(panel), panel_(panel), runs_(runs), folders_(foldersOf(runs)) {
  setToolTipsVisible(true);
  if (all(runs_, RunListModel::VanishedRole)) {
    addVanishedActions();
    return;
  }
  if (isOne()) addQueueActions();
  if (isOne()) addRunActions();
  if (runs_.size() <= 2)
    addAction(withKeys(isOne() ? tr("Compare with another checkpoint or results") : tr("Compare"),
                       "page.compare"),
              this, [this] { Q_EMIT panel_->comparisonRequested(); });
  addNotesActions();
  addFolderActions();
}

QList<QAction*> RunMenu::unnamedActions() const {
  QList<QAction*> unnamed = actions();
  unnamed.removeIf([this](const QAction* action) {
    return action->isSeparator() || action->menu() || !action->isEnabled() ||
           named_.contains(action->text());
  });
  return unnamed;
}

void RunMenu::addVanishedActions() {
  addAction(isOne() ? tr("Remove from the list") : tr("Remove %1 from the list").arg(runs_.size()),
            this, [this] { Q_EMIT panel_->dismissRequested(folders_); });
  addAction(isOne() ? tr("Copy path") : tr("Copy paths"), this,
            [this] { QApplication::clipboard()->setText(folders_.join(u'\n')); });
}

void RunMenu::addQueueActions() {
  const QPersistentModelIndex run = runs_.front();
  if (!run.data(RunTree::InQueueRole).toBool()) return;
  const QModelIndex above = run.sibling(run.row() - 1, 0), below = run.sibling(run.row() + 1, 0);
  const auto add = [&](const QString& text, const QModelIndex& other, auto action) {
    addAction(text, this, action)->setEnabled(other.isValid());
  };
  const QString folder = folders_.front();
  add(tr("Train next"), above, [this, folder] { Q_EMIT panel_->queueMoveRequested(folder, 1); });
  add(withKeys(tr("Move up"), "runs.earlier_in_queue"), above,
      [this, run] { panel_->moveInQueue(run, -1); });
  add(withKeys(tr("Move down"), "runs.later_in_queue"), below,
      [this, run] { panel_->moveInQueue(run, 1); });
  add(tr("Take out of the queue"), run,
      [this, folder] { Q_EMIT panel_->leaveQueueRequested(folder); });
  addSeparator();
}

void RunMenu::addRunActions() {
  const QString folder = folders_.front();
  const QString blocked = RunsPanel::resumeBlockedBy(QModelIndex(runs_.front()));
  QAction* resume = addAction(tr("Resume from the latest checkpoint"), this,
                              [this, folder] { Q_EMIT panel_->resumeRequested(folder); });
  resume->setEnabled(blocked.isEmpty());
  resume->setToolTip(blocked);
  QAction* queue = addAction(tr("Resume when its devices are free"), this,
                             [this, folder] { Q_EMIT panel_->queueRequested(folder); });
  queue->setEnabled(blocked.isEmpty());
  queue->setToolTip(blocked);
  const bool isOurs =
      areHere(runs_) && runs_.front().data(RunListModel::ProgramRole).toString().isEmpty();
  addAction(withKeys(tr("Fork from a checkpoint…"), "run.fork"), this, [this, folder] {
    Q_EMIT panel_->forkRequested(folder);
  })->setEnabled(isOurs);
  if (runs_.front().data(RunListModel::AliveRole).toBool() && isOurs)
    addAction(withKeys(tr("Evaluate now"), "run.evaluate"), this,
              [this, folder] { Q_EMIT panel_->evaluationRequested(folder); });
  QAction* copy = addAction(withKeys(tr("Duplicate configuration"), "run.duplicate"), this,
                            [this, folder] { Q_EMIT panel_->copyConfigRequested(folder); });
  copy->setEnabled(runs_.front().data(RunListModel::ProgramRole).toString().isEmpty());
  addAction(withKeys(tr("Save as one file…"), "run.pack"), this, [this, folder] {
    Q_EMIT panel_->packRequested(folder);
  })->setEnabled(isOurs);
  addSeparator();
}

QString RunMenu::withKeys(const QString& text, const char* action) {
  named_.append(widgets::withKeysOf(panel_->window(), action, text));
  return named_.back();
}

void RunMenu::addNotesActions() {
  const auto change = [this](const QString& text, run_folder::NotesChange notes) {
    addAction(text, this, [this, notes] { Q_EMIT panel_->notesChangeRequested(folders_, notes); });
  };
  if (isOne()) {
    addAction(withKeys(tr("Rename"), "runs.rename"), this,
              [this] { panel_->editName(runs_.front()); });
    addAction(tr("Note…"), this, &RunMenu::askForNote);
    addColors(addMenu(tr("Colour")));
  }
  addAction(withKeys(tr("Tags…"), "runs.tags"), this, [this] { askForTags(panel_, runs_); });
  const bool arePinned = all(runs_, RunListModel::PinnedRole);
  const bool areArchived = all(runs_, RunListModel::ArchivedRole);
  change(arePinned ? tr("Unpin") : tr("Pin to the top"),
         [arePinned](run_folder::RunNotes& notes) { notes.pinned = !arePinned; });
  change(areArchived ? tr("Take out of the archive") : tr("Archive"),
         [areArchived](run_folder::RunNotes& notes) { notes.archived = !areArchived; });
  addSeparator();
}

void RunMenu::addColors(QMenu* menu) {
  const int own = runs_.front().data(RunListModel::StyleIndexRole).toInt();
  for (int style = 0; style < widgets::kRunStyles; ++style) {
    QAction* action = menu->addAction(
        sampleOf(widgets::runStyle(style, widgets::currentTheme()), devicePixelRatioF()),
        tr("Style %1").arg(style + 1), this,
        [this, style] { Q_EMIT panel_->styleRequested(folders_.front(), style); });
    action->setCheckable(true);
    action->setChecked(style == own);
  }
}

void RunMenu::askForTags(RunsPanel* panel, const RunMenu::Runs& runs) {
  if (runs.isEmpty()) return;
  const QStringList before = commonTags(runs), folders = foldersOf(runs);
  bool isGiven = false;
  const QString text = QInputDialog::getText(
      panel, tr("Tags"),
      runs.size() == 1
          ? tr("Tags of this run, with commas between them:")
          : tr("Tags that all %1 runs have, with commas between them:").arg(runs.size()),
      QLineEdit::Normal, before.join(QStringLiteral(", ")), &isGiven);
  if (!isGiven) return;
  Q_EMIT panel->notesChangeRequested(folders, tagsChange(before, tagsIn(text, before)));
}

void RunMenu::askForNote() {
  bool isGiven = false;
  const QString text = QInputDialog::getMultiLineText(
      panel_, tr("Note"), tr("Note of this run:"),
      runs_.front().data(RunListModel::NoteRole).toString(), &isGiven);
  if (!isGiven) return;
  Q_EMIT panel_->notesChangeRequested(
      folders_, [text](run_folder::RunNotes& notes) { notes.note = text.trimmed().toStdString(); });
}

void RunMenu::addFolderActions() {
  if (isOne() && areHere(runs_))
    addAction(tr("Open folder"), this,
              [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(folders_.front())); });
  addAction(isOne() ? tr("Copy path") : tr("Copy paths"), this,
            [this] { QApplication::clipboard()->setText(folders_.join(u'\n')); });
  if (!areHere(runs_)) return;
  QAction* trash = addAction(withKeys(tr("Move to trash"), "runs.trash"), this,
                             [this] { Q_EMIT panel_->trashRequested(folders_); });
  const bool isAlive = std::ranges::any_of(
      runs_, [](const auto& run) { return run.data(RunListModel::AliveRole).toBool(); });
  trash->setEnabled(!isAlive);
  if (isAlive) trash->setToolTip(tr("It is still running: stop it first."));
}

}  // namespace lockstep::app
