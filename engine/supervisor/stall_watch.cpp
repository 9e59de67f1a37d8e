#include "engine/supervisor/stall_watch.h"

#include <algorithm>
#include <array>

namespace lockstep::supervisor {
namespace {

constexpr std::array kStepPhases = {"data", "forward", "backward", "optimizer"};

bool isStepPhase(const std::string& phase) {
  return std::find(kStepPhases.begin(), kStepPhases.end(), phase) != kStepPhases.end();
}

}  // namespace

void StallWatch::note(const protocol::Heartbeat& heartbeat, Clock::time_point now) {
  heard_ = now;
  const bool moved = heartbeat.step != last_.step || heartbeat.phase != last_.phase ||
                     heartbeat.collective != last_.collective;
  if (moved || !isStepPhase(heartbeat.phase)) moved_ = now;
  last_ = heartbeat;
}

std::optional<std::string> StallWatch::stall(Clock::time_point now) const {
  if (limit_.count() <= 0) return std::nullopt;
  if (now - heard_ > limit_) return "sent no heartbeat";
  if (now - moved_ > limit_) return "did not get on in its step";
  return std::nullopt;
}

}  // namespace lockstep::supervisor
