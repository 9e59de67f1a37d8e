#pragma once

#include <cstdint>
#include <utility>

#include "engine/supervisor/event_log.h"

namespace lockstep::tests {

inline void appendScalars(supervisor::EventLog& eventLog, std::int64_t step, double time,
                          events::ScalarValues values) {
  eventLog.appendEvent(protocol::Scalars{0, step, time, std::move(values)}, step, time);
}

}  // namespace lockstep::tests
