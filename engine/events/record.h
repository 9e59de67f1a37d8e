#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// The event log: TensorBoard's event files, one record per training step or event.
namespace lockstep::events {

using ScalarValues = std::vector<std::pair<std::string, float>>;

/// One record of the log. seq is its number in the file; record 0 is the file version.
struct Record {
  /// HyperParameters and Other have nothing for our programs.
  enum class Kind { FileVersion, Scalars, Event, SessionStart, HyperParameters, Other };
  std::int64_t seq = 0;
  double wallTime = 0;
  std::int64_t step = 0;
  Kind kind = Kind::Other;
  /// Of Scalars: tag -> value. Of SessionStart: the tags whose values from its step on are
  /// replaced; none: those of all tags.
  ScalarValues scalars;
  std::string json;  ///< of Event: the text tagged lockstep/event
  /// Of HyperParameters and Other: a serialised Summary for TensorBoard; empty when read.
  std::string summary{};
};

inline constexpr const char* kEventTag = "lockstep/event";

/// The bytes of the record in the file, with length and checksums.
std::string encodeRecord(const Record& record);

}  // namespace lockstep::events
