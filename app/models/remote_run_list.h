#pragma once

#include <QByteArray>
#include <vector>

#include "app/models/listed_run.h"
#include "app/models/remote_place.h"

namespace lockstep::app {

/// The runs in a folder on another machine, as `lockstep-engine runs --format json` prints them
/// there; their folders are addresses. Throws Error for any other text.
std::vector<ListedRun> parseRemoteRuns(const QByteArray& json, const RemotePlace& folder);

/// A run on another machine of which no more is known yet.
ListedRun unknownRemoteRun(const RemotePlace& run);

/// Replaces what runs have there by what the user's own file says of them. Blocks.
void takeOwnNotes(std::vector<ListedRun>& runs, const run_folder::fs::path& file);

}  // namespace lockstep::app
