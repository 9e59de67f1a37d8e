// What the ranks of a training know of one another.
#include "engine/base/error.h"
#include "engine/base/host.h"
#include "engine/train/failure.h"
#include "engine/train/trainer.h"

namespace lockstep::train {
namespace {

/// What one rank tells the others.
std::string encoded(const Failure& failure, int rank) {
  const bool isOwn = failure.rank < 0;
  return protocol::encode(
      protocol::WorkerMessage(protocol::Failed{.rank = isOwn ? rank : failure.rank,
                                               .host = isOwn ? base::hostName() : failure.host,
                                               .message = failure.message,
                                               .cause = failure.cause}));
}

FaultOfRank decoded(const std::string& text) {
  const auto failed = std::get<protocol::Failed>(protocol::decodeWorkerMessage(text));
  return {failed.message, failed.cause.value().value_or(protocol::FailureCause::Exception),
          failed.rank, failed.host};
}

}  // namespace

bool Trainer::decided(bool answer) { return !context_.world.share(answer ? "yes" : "").empty(); }

void Trainer::together(const std::function<void()>& work) {
  std::exception_ptr own;
  std::string said;
  try {
    work();
  } catch (const std::exception& exception) {
    own = std::current_exception();
    const FailureFacts facts{.step = state_.step,
                             .phase = context_.phase.phase.load(),
                             .isWaiting = context_.phase.waiting};
    said = encoded(failureOf(exception, facts), context_.world.rank());
  }
  if (!context_.world.isSoAnywhere(own != nullptr)) return;
  std::string first;
  for (const std::string& ofRank : context_.world.gather(said))
    if (first.empty()) first = ofRank;
  first = context_.world.share(first);
  if (own) std::rethrow_exception(own);
  throw decoded(first);
}

void Trainer::refuseOtherData() {
  const std::string leaders = context_.world.share(run_folder::encodeTrainingState(state_));
  together([&] {
    const auto ofLeader = run_folder::decodeTrainingState(leaders, "rank 0's data").data;
    const std::string difference = run_folder::dataDifference(*ofLeader, *state_.data);
    if (difference.empty()) return;
    throw Error("the data here are not those of rank 0's machine (" + difference +
                "): give every machine the same files");
  });
}

}  // namespace lockstep::train
