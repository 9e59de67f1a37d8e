#pragma once

#include <filesystem>
#include <string>

#include "engine/events/media.h"
#include "engine/foreign_runs/faults.h"
#include "engine/foreign_runs/record_stream.h"

namespace lockstep::foreign_runs {

namespace fs = std::filesystem;

/// The files that one run of another program logs to.
class RunLog {
 public:
  virtual ~RunLog() = default;
  /// Adds what was appended since the last call. False: what was added is no longer there, and
  /// nothing was added. Throws Error when no file can be read.
  [[nodiscard]] virtual bool addAppended(RecordStream& stream, Faults& faults) = 0;
  /// The tags of the values so far that are no scalars, which are not added.
  virtual const events::MediaTags& media() const {
    static const events::MediaTags none;
    return none;
  }
};

}  // namespace lockstep::foreign_runs
