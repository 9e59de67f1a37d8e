#pragma once

#include "engine/protocol/members.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {

/// The members in run.json and state.json.
void describe(auto& members, protocol::Is<Best> auto& best) {
  members("metric", best.metric);
  members("value", best.value);
  members("step", best.step);
}

}  // namespace lockstep::run_folder
