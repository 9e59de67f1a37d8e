#include "engine/train/shared_errors.h"

#include <exception>
#include <string>

#include "engine/base/host.h"
#include "engine/train/failure.h"

namespace lockstep::train {
namespace {

/// As one rank sends it to the others.
std::string encoded(const Failure& failure, int rank) {
  const bool isOwn = failure.rank < 0;
  return protocol::encode(
      protocol::WorkerMessage(protocol::Failed{.rank = isOwn ? rank : failure.rank,
                                               .host = isOwn ? base::hostName() : failure.host,
                                               .message = failure.message,
                                               .cause = failure.cause}));
}

RankError decoded(const std::string& text) {
  const auto failed = std::get<protocol::Failed>(protocol::decodeWorkerMessage(text));
  return {failed.message, failed.cause.value().value_or(protocol::FailureCause::Exception),
          failed.rank, failed.host};
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
  throw decoded(first);
}

}  // namespace lockstep::train
