#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/events/media.h"
#include "engine/foreign_runs/faults.h"
#include "engine/foreign_runs/find_runs.h"
#include "engine/foreign_runs/record_stream.h"

namespace lockstep::foreign_runs {

class RunLog;

/// Reads a run of another program incrementally, as events::Reader reads one of ours: RecordStream
/// says what the records are. Each call reads on; files are not locked and never written. Not
/// thread-safe.
class RunReader {
 public:
  explicit RunReader(const ForeignRun& run);
  /// Event files of one run, in this order; also of ours.
  explicit RunReader(const std::vector<fs::path>& eventFiles);
  RunReader(RunReader&&) noexcept;
  RunReader& operator=(RunReader&&) noexcept;
  ~RunReader();

  /// Calls `visitor` for every record that was completed since the last call, which the views do
  /// not outlive. False, without calls: files that were read were truncated, rewritten, replaced by
  /// others or removed, or came before them; start over with a new RunReader. Throws Error when
  /// nothing of the run can be read.
  [[nodiscard]] bool visitAppended(const Visitor& visitor);

  /// The tags of the scalars seen so far. Only grows.
  const std::vector<std::string>& tags() const { return stream_->tags(); }
  /// What was left out so far.
  const Faults& faults() const { return faults_; }
  /// The tags of values that are no scalars, such as images: records do not have them.
  const events::MediaTags& media() const;

 private:
  std::unique_ptr<RunLog> log_;
  std::unique_ptr<RecordStream> stream_;
  Faults faults_;
};

}  // namespace lockstep::foreign_runs
