#pragma once

#include <optional>

#include "engine/events/reader.h"
#include "engine/events/record.h"
#include "engine/protocol/event.h"

namespace lockstep::events {

/// The record of an event in the log.
Record recordOf(const protocol::Event& event);

/// The event of a record; nullopt for other records and for events of other program versions.
std::optional<protocol::Event> eventOf(Record record);
/// The same for a reader's view; nullopt for scalars, whose tags only the reader has.
std::optional<protocol::Event> eventOf(const RecordView& record);

}  // namespace lockstep::events
