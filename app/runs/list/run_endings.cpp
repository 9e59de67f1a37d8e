#include "app/runs/list/run_endings.h"

#include "app/runs/list/run_list_model.h"
#include "app/text/metric_text.h"
#include "app/text/window_words.h"

namespace lockstep::app {
namespace {

bool isEnded(const base::OpenEnum<protocol::RunState>& state) {
  return state == protocol::RunState::Finished || state == protocol::RunState::Failed;
}

}  // namespace

RunEndings::RunEndings(const RunListModel* runs, QObject* parent) : QObject(parent), runs_(runs) {
  connect(runs, &QAbstractItemModel::rowsInserted, this,
          [this](const QModelIndex&, int first, int last) { look(first, last); });
  connect(
      runs, &QAbstractItemModel::dataChanged, this,
      [this](const QModelIndex& first, const QModelIndex& last) { look(first.row(), last.row()); });
}

void RunEndings::look(int first, int last) {
  for (int row = first; row <= last; ++row) {
    const QModelIndex run = runs_->index(row);
    const QString folder = run.data(RunListModel::FolderRole).toString();
    const run_folder::RunInfo& info = runs_->summary(row).info;
    const bool hasEnded = isEnded(info.state) && !runs_->summary(row).alive;
    if (runs_->summary(row).alive && !isEnded(info.state)) training_.insert(folder);
    if (!hasEnded || !training_.remove(folder)) continue;
    const QString name = run.data(RunListModel::NameRole).toString();
    const bool hasFailed = info.state == protocol::RunState::Failed;
    Q_EMIT ended(folder, hasFailed ? tr("%1 failed").arg(name) : tr("%1 finished").arg(name),
                 endingText(info));
  }
}

QString endingText(const run_folder::RunInfo& info) {
  if (info.error) return inWindowWords(info.error->message).section(u'\n', 0, 0);
  if (!info.best) return RunEndings::tr("Step %1 of %2").arg(info.step).arg(info.maxSteps);
  return RunEndings::tr("Best %1: %2 at step %3")
      .arg(metricText(QString::fromStdString(info.best->metric)))
      .arg(info.best->value, 0, 'f', 3)
      .arg(info.best->step);
}

}  // namespace lockstep::app
