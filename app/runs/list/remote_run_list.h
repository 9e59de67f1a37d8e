#pragma once

#include <QByteArray>
#include <QHash>
#include <QString>
#include <vector>

#include "app/engines/remote_place.h"
#include "app/runs/list/listed_run.h"
#include "app/runs/list/run_scan.h"

namespace lockstep::app {

/// The runs in a folder on another machine, the newest first.
struct RemoteListing {
  static constexpr qsizetype kMaxRuns = 10'000;
  std::vector<ListedRun> runs;
  qsizetype leftOut = 0;  ///< number of older runs past kMaxRuns
};
/// Parses the output of `lockstep-engine runs --format json`; folders become addresses. Throws
/// Error for any other text.
RemoteListing parseRemoteRuns(const QByteArray& json, const RemotePlace& folder);

/// A packed run as its file says, in the same words; no text: no more is known of it.
ListedRun parsePackedRun(const QByteArray& json, const RemotePlace& run);

/// A run on another machine of which no more is known yet.
ListedRun unknownRemoteRun(const RemotePlace& run);

using RemoteRunsByAddress = QHash<QString, ListedRun>;

/// Replaces what was listed by what is listed now, newest first; returns what is new, other than
/// before or gone.
RunScan::Changes updateListing(RemoteRunsByAddress& known, const std::vector<ListedRun>& runs);

/// Replaces what runs have there by what the user's own file says of them. Blocks.
void takeOwnNotes(std::vector<ListedRun>& runs, const run_folder::fs::path& file);

}  // namespace lockstep::app
