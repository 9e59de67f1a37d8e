#include "engine/supervisor/stall_watch.h"

#include <algorithm>
#include <array>

namespace lockstep::supervisor {
namespace {

using protocol::Phase;

constexpr std::array kPhasesWithProgress = {Phase::Data,      Phase::Forward,    Phase::Backward,
                                            Phase::Optimizer, Phase::Evaluating, Phase::Predicting,
                                            Phase::Checkpoint};

/// Whether heartbeats keep changing in this phase, or it ends soon.
bool hasProgress(const base::OpenEnum<Phase>& phase) {
  return std::ranges::find(kPhasesWithProgress, phase.value()) != kPhasesWithProgress.end();
}

}  // namespace

void StallWatch::note(const protocol::Heartbeat& heartbeat, Clock::time_point now) {
  lastMessage_ = now;
  const bool moved = heartbeat.step != last_.step || heartbeat.phase != last_.phase ||
                     heartbeat.collective != last_.collective ||
                     heartbeat.waiting != last_.waiting || heartbeat.images != last_.images;
  if (moved || !hasProgress(heartbeat.phase)) lastProgress_ = now;
  last_ = heartbeat;
  hadHeartbeat_ = true;
}

bool StallWatch::isSilent(Clock::time_point now) const {
  return limits_.silence.count() > 0 && now - lastMessage_ > limits_.silence;
}

bool StallWatch::isStalled(Clock::time_point now) const {
  return limits_.stall.count() > 0 && now - std::min(lastMessage_, lastProgress_) > limits_.stall;
}

std::optional<std::size_t> findStalled(std::span<const StallWatch* const> ranks,
                                       StallWatch::Clock::time_point now) {
  bool allWait = !ranks.empty();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const bool isStalled = ranks[i]->isStalled(now);
    if (isStalled && !ranks[i]->isWaiting()) return i;
    allWait = allWait && isStalled;
  }
  return allWait ? std::optional<std::size_t>(0) : std::nullopt;
}

}  // namespace lockstep::supervisor
