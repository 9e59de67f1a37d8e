#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <optional>

#include "app/models/page.h"
#include "app/models/remote_place.h"

namespace lockstep::app {

/// What a window opens at the start.
struct Opening {
  QStringList runsFolders;     ///< their runs are listed; new ones are created in the first
  QStringList runs;            ///< selected runs, the current one first
  QList<RemotePlace> remotes;  ///< runs and folders of runs on other machines
  QStringList experiments;     ///< files to edit, the shown one last
  QString copiedRun;           ///< run whose configuration is edited as a copy; empty: none
  Page page = Page::Monitor;
  bool isPlainStart = false;  ///< neither paths nor a page were given
};

/// `paths`: absolute paths of run folders, experiment files and folders of runs, and addresses.
/// `page`: of --page.
Opening openingOf(const QStringList& paths, std::optional<Page> page);

}  // namespace lockstep::app
