#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/events/media.h"
#include "engine/events/record.h"

/// TensorBoard's Event protobuf message. Field numbers are those of event.proto, summary.proto and
/// tensor.proto of TensorBoard.
namespace lockstep::events {

/// Names this program as the writer in the first record of its files.
inline constexpr std::string_view kWriter = "lockstep";

/// A parsed Event; strings are views into the serialised bytes.
struct EventMessage {
  double wallTime = 0;
  std::int64_t step = 0;
  Record::Kind kind = Record::Kind::Other;
  std::vector<std::pair<std::string_view, float>> scalars;
  std::string_view json;
  std::vector<std::pair<std::string_view, Media>> media;
};

/// Parses into `message`, reusing its memory. False for bytes that are not an Event or have a NaN
/// as wall time.
bool parseEvent(std::string_view bytes, EventMessage& message);

}  // namespace lockstep::events
