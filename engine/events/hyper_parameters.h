#pragma once

#include <string>
#include <variant>
#include <vector>

#include "engine/events/record.h"

/// Records for TensorBoard's HParams plugin, which compares runs by their hyper-parameters and last
/// metrics. Its session is a run.
namespace lockstep::events {

struct HyperParameter {
  std::string name;
  std::variant<bool, double, std::string> value;
  bool isVaried = false;  ///< TensorBoard lists those first, and shows five unless told otherwise
};

/// The hyper-parameters of a run, and the tags of the scalars that runs are compared by. One
/// record, so that a log has all of it or nothing.
Record hyperParametersRecord(const std::vector<HyperParameter>& parameters,
                             const std::vector<std::string>& metricTags, std::int64_t step,
                             double wallTime);

/// The plugin's own numbers.
enum class SessionStatus { Unknown = 0, Success = 1, Failure = 2 };

/// A run without this record counts as running.
Record sessionEndRecord(SessionStatus status, std::int64_t step, double wallTime);

}  // namespace lockstep::events
