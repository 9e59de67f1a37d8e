#include "engine/train/shared_errors.h"

#include <exception>
#include <string>

#include "engine/base/host.h"
#include "engine/dist/rank_error.h"
#include "engine/train/failure.h"

namespace lockstep::train {
namespace {

/// `rank`: this rank, whose failure it is unless the failure names another one.
std::string encoded(const Failure& failure, int rank) {
  const bool isOwn = failure.rank < 0;
  return dist::encode(dist::RankError(failure.message, failure.cause, isOwn ? rank : failure.rank,
                                      isOwn ? base::hostName() : failure.host));
}

}  // namespace

bool answerOfRankZero(dist::World& world, bool answer) {
  return !world.broadcastBytes(answer ? "yes" : "").empty();
}

void runWithSharedErrors(const Training& training, const std::function<void()>& work) {
  dist::World& world = training.context.world;
  const PhaseReport& phase = training.context.phase;
  std::exception_ptr own;
  std::string sent;
  try {
    work();
  } catch (const std::exception& exception) {
    own = std::current_exception();
    const FailureFacts facts{
        .step = training.state.step, .phase = phase.phase.load(), .isWaiting = phase.waiting};
    sent = encoded(failureOf(exception, facts), world.rank());
  }
  if (!world.anyRank(own != nullptr)) return;
  std::string first;
  for (const std::string& ofRank : world.gather(sent))
    if (first.empty()) first = ofRank;
  first = world.broadcastBytes(first);
  if (own) std::rethrow_exception(own);
  throw dist::decodeRankError(first);
}

}  // namespace lockstep::train
