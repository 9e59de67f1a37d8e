#pragma once

#include <QString>
#include <optional>

#include "app/controllers/shown_run.h"

namespace lockstep::app {

/// What is said of a run over the pages: why it failed, or cannot be read or followed now.
struct RunMessage {
  QString folder, kind, title, detail, action;
  QString skipAction;      ///< to go on without images that cannot be read
  bool isFailure = false;  ///< else a fault of the moment
};

/// Of the leading run its failure too. `isOnly`: else the run is named.
std::optional<RunMessage> runMessage(const ShownRun& shown, bool leads, bool isOnly);

}  // namespace lockstep::app
