#pragma once

#include <QString>
#include <QStringList>
#include <optional>

#include "app/models/page.h"

namespace lockstep::app {

/// What a window shows first.
struct Opening {
  QString runsFolder;     ///< whose runs are listed
  QStringList runs;       ///< the first leads, the others are compared with it
  QString experiment;     ///< to be edited; empty: none
  QString copiedRun;      ///< whose configuration is edited as a copy; empty: none
  QStringList notOpened;  ///< experiments beside the one that is edited
  Page page = Page::Monitor;
  bool isFree = false;  ///< nothing was asked for
};

/// `paths`: absolute: run folders, experiment files, folders of runs. `page`: that was asked for.
Opening openingOf(const QStringList& paths, std::optional<Page> page);

}  // namespace lockstep::app
