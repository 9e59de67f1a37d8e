#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "app/engines/remote_place.h"
#include "app/frame/page.h"

namespace lockstep::app {

enum class PathKind { Remote, Packed, Experiment, Run, RunsFolder, Gone };

/// Blocks as long as its disk does: what will be read of it to open it can be read.
PathKind kindOf(const QString& path);

/// The same of a path of an earlier session, which may be gone since.
PathKind kindOfKept(const QString& path);

/// Absolute: where new runs are created if nothing else is said.
QString usualRunsFolder();

struct GivenPath {
  QString path;                  ///< absolute, or an address
  std::optional<PathKind> kind;  ///< nothing: its disk has not answered yet
};

/// What a window opens at the start.
struct Opening {
  QStringList runsFolders;     ///< their runs are listed; new ones are created in the first
  QStringList runs;            ///< selected runs, the current one first
  QList<RemotePlace> remotes;  ///< runs and folders of runs on other machines, and packed runs
  QStringList experiments;     ///< files to edit, the shown one last
  QString copiedRun;           ///< run whose configuration is edited as a copy; empty: none
  QStringList gone;            ///< of an earlier session
  QStringList waiting;         ///< their disks have not answered yet
  bool hasRunsFolder = false;  ///< a folder of runs was given
  Page page = Page::Monitor;
  bool isPlainStart = false;  ///< neither paths nor a page were given
};

/// `page`: of --page.
Opening openingOf(const std::vector<GivenPath>& paths, std::optional<Page> page);

}  // namespace lockstep::app
