#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/events/record.h"

/// TensorBoard's Event message: which field number means what. Source: event.proto, summary.proto,
/// tensor.proto of TensorBoard.
namespace lockstep::events {

/// An Event as it lies in its bytes: texts are views into them.
struct EventMessage {
  double wallTime = 0;
  std::int64_t step = 0;
  Record::Kind kind = Record::Kind::Other;
  std::vector<std::pair<std::string_view, float>> scalars;
  std::string_view json;
};

/// Parses into `message`, whose memory is used again. False when the bytes are no Event, or its
/// time is no number.
bool parseEvent(std::string_view bytes, EventMessage& message);

}  // namespace lockstep::events
