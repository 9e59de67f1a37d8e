#include "app/runs/list/run_trash.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include "engine/run_folder/run_folder.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {
namespace {

/// Of the freedesktop.org trash: `files/NAME` is described by `info/NAME.trashinfo`.
QString infoOf(const QString& inTrash) {
  const QFileInfo file(inTrash);
  return QStringLiteral("%1/../info/%2.trashinfo").arg(file.path(), file.fileName());
}

/// Qt moves to a trash in the current folder when that of the home folder is not there.
QString makeHomeTrash() {
  const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
  if (QDir::isAbsolutePath(data) && QDir().mkpath(data + QStringLiteral("/Trash"))) return {};
  return RunTrash::tr("There is no trash: %1 cannot be created")
      .arg(data.isEmpty() ? QStringLiteral("~/.local/share") : data + QStringLiteral("/Trash"));
}

}  // namespace

RunTrash::Outcome RunTrash::moveAll(const QStringList& folders) {
  Outcome outcome;
  if (const QString failure = makeHomeTrash(); !failure.isEmpty()) return {{}, {failure}};
  for (const QString& folder : folders) {
    if (run_folder::RunLock::isHeld(run_folder::Layout(folder.toStdString()))) {
      outcome.failures.append(tr("%1: it is still running").arg(folder));
      continue;
    }
    QString inTrash;
    if (QFile::moveToTrash(folder, &inTrash)) {
      outcome.moved.push_back({folder, inTrash});
    } else {
      outcome.failures.append(
          QFileInfo::exists(folder)
              ? tr("%1: cannot be moved to the trash; is its folder writable, and is there a trash "
                   "on that disk?")
                    .arg(folder)
              : tr("%1: no longer exists").arg(folder));
    }
  }
  return outcome;
}

RunTrash::Outcome RunTrash::restoreAll(const std::vector<Moved>& moved) {
  Outcome outcome;
  for (const Moved& run : moved) {
    if (QFileInfo::exists(run.folder)) {
      outcome.failures.append(
          tr("%1: exists again; the other one is in the trash").arg(run.folder));
    } else if (QDir().rename(run.inTrash, run.folder)) {
      QFile::remove(infoOf(run.inTrash));
      outcome.moved.push_back(run);
    } else {
      outcome.failures.append(tr("%1: cannot be moved back from %2").arg(run.folder, run.inTrash));
    }
  }
  return outcome;
}

void RunTrash::move(const QStringList& folders) {
  jobs::start(
      this, jobs::Kind::Disk, [folders] { return moveAll(folders); },
      [this](const Outcome& outcome) {
        QStringList moved;
        for (const Moved& run : outcome.moved) moved.append(run.folder);
        if (!moved.isEmpty()) moves_.push_back(outcome.moved);
        Q_EMIT this->moved(moved, outcome.failures.join(u'\n'));
      });
}

void RunTrash::undo() {
  if (moves_.empty()) return;
  const std::vector<Moved> moved = std::move(moves_.back());
  moves_.pop_back();
  jobs::start(
      this, jobs::Kind::Disk, [moved] { return restoreAll(moved); },
      [this](const Outcome& outcome) {
        QStringList restored;
        for (const Moved& run : outcome.moved) restored.append(run.folder);
        Q_EMIT this->restored(restored, outcome.failures.join(u'\n'));
      });
}

}  // namespace lockstep::app
