#pragma once

#include <cstdint>
#include <utility>

#include "engine/supervisor/event_journal.h"

namespace lockstep::tests {

inline void appendScalars(supervisor::EventJournal& journal, std::int64_t step, double time,
                          events::ScalarValues values) {
  journal.appendEvent(protocol::Scalars{0, step, time, std::move(values)}, step, time);
}

}  // namespace lockstep::tests
