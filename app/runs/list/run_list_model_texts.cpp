// What RunListModel says of a run in words.
#include "app/runs/list/run_list_model.h"

namespace lockstep::app {

QString RunListModel::forkTextOf(const Row& row) const {
  const auto& fork = row.run.summary.info.forkedFrom;
  if (!fork) return {};
  const QString folder = QString::fromStdString(fork->run);
  return tr("%1 at step %2").arg(nameOf(folder)).arg(fork->step);
}

QString RunListModel::toolTipOf(const Row& row) const {
  QStringList lines{row.folder};
  if (const auto& best = row.run.summary.info.best)
    lines.append(tr("best %1 %2 at step %3 (validation images)")
                     .arg(QString::fromStdString(best->metric))
                     .arg(best->value, 0, 'f', 3)
                     .arg(best->step));
  if (const QString fork = forkTextOf(row); !fork.isEmpty())
    lines.append(tr("fork of %1").arg(fork));
  if (!row.run.notes.note.empty()) lines.append(QString::fromStdString(row.run.notes.note));
  if (row.hasVanished)
    lines.append(
        tr("Its folder was deleted, renamed, or is on a disk that is not mounted. It reappears "
           "with the folder; its menu removes it from the list."));
  if (!row.run.notesFault.empty()) lines.append(QString::fromStdString(row.run.notesFault));
  return lines.join(QLatin1Char('\n'));
}

}  // namespace lockstep::app
