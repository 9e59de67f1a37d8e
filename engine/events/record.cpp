#include "engine/events/record.h"

#include "engine/events/event_message.h"
#include "engine/events/record_frame.h"

namespace lockstep::events {

std::string encodeRecord(const Record& record) { return frameOf(serialiseEvent(record)); }

}  // namespace lockstep::events
