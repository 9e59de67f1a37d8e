#pragma once

#include <QString>
#include <optional>

#include "app/runs/open/shown_run.h"

namespace lockstep::app {

/// Message about a run for the banner: why it failed, or why it cannot be read or followed now.
struct RunMessage {
  QString folder, kind, title, detail, action;
  QString skipAction;      ///< text of the button that resumes without unreadable images
  bool isFailure = false;  ///< the run failed; else it cannot be read or followed now
};

/// The message of a run, if there is one. A failure is reported for the current run only. Unless
/// `isOnly`, the title names the run.
std::optional<RunMessage> runMessage(const ShownRun& shown, bool leads, bool isOnly);

}  // namespace lockstep::app
