#pragma once

#include <QString>
#include <QStringList>
#include <filesystem>

namespace lockstep::app {

/// What a run folder of ours says of its start, beyond run.json and the event log. What is not
/// known is empty.
struct RunRecord {
  QString experiment;     ///< the person's file, or nothing for a run of an earlier version
  QStringList overrides;  ///< KEY=VALUE of --set and --devices
  QString device, precision, seed, batchSize;
  QString version;  ///< of the Lockstep that wrote the last checkpoint
  QString fault;    ///< why something could not be read; empty: all was

  bool operator==(const RunRecord&) const = default;
};

/// Blocks.
RunRecord readRunRecord(const std::filesystem::path& runFolder);

}  // namespace lockstep::app
