#include "app/runs/panel/run_menu.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QInputDialog>
#include <QPainter>
#include <QPixmap>
#include <QUrl>
#include <algorithm>

#include "app/runs/list/run_list_model.h"
#include "app/runs/panel/runs_panel.h"
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

/// Tags that all of the runs have.
QStringList commonTags(const RunListModel& runs, const QStringList& folders) {
  const auto tagsOf = [&runs](const QString& folder) {
    return runs.index(runs.rowOf(folder)).data(RunListModel::TagsRole).toStringList();
  };
  QStringList common = tagsOf(folders.front());
  for (const QString& folder : folders)
    common.removeIf([tags = tagsOf(folder)](const QString& tag) { return !tags.contains(tag); });
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

RunMenu::RunMenu(RunsPanel* panel, const QStringList& folders)
    : QMenu(panel), panel_(panel), folders_(folders) {
  setToolTipsVisible(true);
  if (all(RunListModel::VanishedRole)) {
    addVanishedActions();
    return;
  }
  if (isOne()) addQueueActions();
  if (isOne()) addRunActions();
  if (folders_.size() <= 2)
    addAction(withKeys(isOne() ? tr("Compare with another checkpoint or results") : tr("Compare"),
                       "page.compare"),
              this, [this] { Q_EMIT panel_->comparisonRequested(); });
  addNotesActions();
  addFolderActions();
}

QModelIndex RunMenu::run(qsizetype i) const {
  const RunListModel& runs = *panel_->model();
  return runs.index(runs.rowOf(folders_.at(i)));
}

bool RunMenu::all(int role) const {
  for (qsizetype i = 0; i < folders_.size(); ++i)
    if (!run(i).data(role).toBool()) return false;
  return true;
}

bool RunMenu::areHere() const { return std::ranges::none_of(folders_, RemotePlace::isRemote); }

QAction* RunMenu::addWhile(const std::function<QString()>& blockedBy, const QString& text,
                           const std::function<void()>& act) {
  QAction* action = addAction(text, this, act);
  const auto follow = [action, blockedBy] {
    const QString blocked = blockedBy();
    action->setEnabled(blocked.isEmpty());
    action->setToolTip(blocked);
  };
  follow();
  connect(panel_->model(), &QAbstractItemModel::dataChanged, action, follow);
  connect(panel_->model(), &QAbstractItemModel::rowsRemoved, action, follow);
  return action;
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
  addAction(isOne() ? tr("Remove from the list")
                    : tr("Remove %n run(s) from the list", "", static_cast<int>(folders_.size())),
            this, [this] { Q_EMIT panel_->dismissRequested(folders_); });
  addAction(isOne() ? tr("Copy path") : tr("Copy paths"), this,
            [this] { QApplication::clipboard()->setText(folders_.join(u'\n')); });
}

void RunMenu::addQueueActions() {
  const auto whyNotQueued = [this] {
    return run().data(RunListModel::QueuePositionRole).isValid()
               ? QString()
               : tr("It no longer waits in the queue.");
  };
  if (!whyNotQueued().isEmpty()) return;
  const QString folder = folders_.front();
  const auto addMove = [&](const QString& text, int change, const std::function<void()>& act) {
    const auto blockedBy = [this, folder, change, whyNotQueued] {
      if (const QString why = whyNotQueued(); !why.isEmpty()) return why;
      return panel_->canMoveInQueue(folder, change) ? QString()
             : change < 0                           ? tr("It is the first.")
                                                    : tr("It is the last.");
    };
    addWhile(blockedBy, text, act);
  };
  addMove(tr("Train next"), -1, [this, folder] { Q_EMIT panel_->queueMoveRequested(folder, 1); });
  addMove(withKeys(tr("Move up"), "runs.earlier_in_queue"), -1,
          [this, folder] { panel_->moveInQueue(folder, -1); });
  addMove(withKeys(tr("Move down"), "runs.later_in_queue"), 1,
          [this, folder] { panel_->moveInQueue(folder, 1); });
  addWhile(whyNotQueued, tr("Remove from queue"),
           [this, folder] { Q_EMIT panel_->leaveQueueRequested(folder); });
  addSeparator();
}

void RunMenu::addRunActions() {
  const QString folder = folders_.front();
  const auto whyNotResumed = [this] { return RunsPanel::resumeBlockedBy(run()); };
  addWhile(whyNotResumed, tr("Resume from the latest checkpoint"),
           [this, folder] { Q_EMIT panel_->resumeRequested(folder); });
  addWhile(whyNotResumed, tr("Resume when its devices are free"),
           [this, folder] { Q_EMIT panel_->queueRequested(folder); });
  const bool isOurs = areHere() && run().data(RunListModel::ProgramRole).toString().isEmpty();
  addAction(withKeys(tr("Fork from a checkpoint…"), "run.fork"), this, [this, folder] {
    Q_EMIT panel_->forkRequested(folder);
  })->setEnabled(isOurs);
  const auto whyNotEvaluated = [this] {
    return run().data(RunListModel::AliveRole).toBool() ? QString() : tr("It no longer trains.");
  };
  if (isOurs && whyNotEvaluated().isEmpty())
    addWhile(whyNotEvaluated, withKeys(tr("Evaluate now"), "run.evaluate"),
             [this, folder] { Q_EMIT panel_->evaluationRequested(folder); });
  QAction* copy = addAction(withKeys(tr("Duplicate configuration"), "run.duplicate"), this,
                            [this, folder] { Q_EMIT panel_->copyConfigRequested(folder); });
  copy->setEnabled(run().data(RunListModel::ProgramRole).toString().isEmpty());
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
              [this] { panel_->editName(folders_.front()); });
    addAction(tr("Note…"), this, &RunMenu::askForNote);
    addColors(addMenu(tr("Colour")));
  }
  addAction(withKeys(tr("Tags…"), "runs.tags"), this, [this] { askForTags(panel_, folders_); });
  const bool arePinned = all(RunListModel::PinnedRole);
  const bool areArchived = all(RunListModel::ArchivedRole);
  change(arePinned ? tr("Unpin") : tr("Pin to the top"),
         [arePinned](run_folder::RunNotes& notes) { notes.pinned = !arePinned; });
  change(areArchived ? tr("Unarchive") : tr("Archive"),
         [areArchived](run_folder::RunNotes& notes) { notes.archived = !areArchived; });
  addSeparator();
}

void RunMenu::addColors(QMenu* menu) {
  const int own = run().data(RunListModel::StyleIndexRole).toInt();
  for (int style = 0; style < widgets::kRunStyles; ++style) {
    QAction* action = menu->addAction(
        sampleOf(widgets::runStyle(style, widgets::currentTheme()), devicePixelRatioF()),
        tr("Style %1").arg(style + 1), this,
        [this, style] { Q_EMIT panel_->styleRequested(folders_.front(), style); });
    action->setCheckable(true);
    action->setChecked(style == own);
  }
}

void RunMenu::askForTags(RunsPanel* panel, const QStringList& folders) {
  if (folders.isEmpty()) return;
  const QStringList before = commonTags(*panel->model(), folders);
  bool isGiven = false;
  const QString text = QInputDialog::getText(
      panel, tr("Tags"),
      folders.size() == 1 ? tr("Tags of this run, separated by commas:")
                          : tr("Common tags of %n run(s), separated by commas:", "",
                               static_cast<int>(folders.size())),
      QLineEdit::Normal, before.join(QStringLiteral(", ")), &isGiven);
  if (!isGiven) return;
  Q_EMIT panel->notesChangeRequested(folders, tagsChange(before, tagsIn(text, before)));
}

void RunMenu::askForNote() {
  bool isGiven = false;
  const QString text =
      QInputDialog::getMultiLineText(panel_, tr("Note"), tr("Note of this run:"),
                                     run().data(RunListModel::NoteRole).toString(), &isGiven);
  if (!isGiven) return;
  Q_EMIT panel_->notesChangeRequested(
      folders_, [text](run_folder::RunNotes& notes) { notes.note = text.trimmed().toStdString(); });
}

void RunMenu::addFolderActions() {
  if (isOne() && areHere())
    addAction(tr("Open folder"), this,
              [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(folders_.front())); });
  addAction(isOne() ? tr("Copy path") : tr("Copy paths"), this,
            [this] { QApplication::clipboard()->setText(folders_.join(u'\n')); });
  if (!areHere()) return;
  const auto whyNotTrashed = [this] {
    for (qsizetype i = 0; i < folders_.size(); ++i)
      if (run(i).data(RunListModel::AliveRole).toBool())
        return tr("It is still running: stop it first.");
    return QString();
  };
  addWhile(whyNotTrashed, withKeys(tr("Move to trash"), "runs.trash"),
           [this] { Q_EMIT panel_->trashRequested(folders_); });
}

}  // namespace lockstep::app
