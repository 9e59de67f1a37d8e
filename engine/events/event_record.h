#pragma once

#include <optional>

#include "engine/events/record.h"
#include "engine/protocol/event.h"

namespace lockstep::events {

/// The record in which an event stands in the log.
Record recordOf(const protocol::Event& event);

/// What a record tells; nothing of one that is no event, or one of another version of the program.
std::optional<protocol::Event> eventOf(Record record);

}  // namespace lockstep::events
