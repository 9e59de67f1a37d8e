#pragma once

#include <optional>

#include "engine/events/reader.h"
#include "engine/events/record.h"
#include "engine/protocol/event.h"

namespace lockstep::events {

/// The record in which an event stands in the log.
Record recordOf(const protocol::Event& event);

/// What a record tells; nothing of one that is no event, or one of another version of the program.
std::optional<protocol::Event> eventOf(Record record);
/// The same of a reader's view; nothing of scalars, whose tags the reader has.
std::optional<protocol::Event> eventOf(const RecordView& record);

}  // namespace lockstep::events
