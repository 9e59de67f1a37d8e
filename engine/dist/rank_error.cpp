#include "engine/dist/rank_error.h"

#include "engine/protocol/worker_messages.h"

namespace lockstep::dist {

std::string encode(const RankError& error) {
  return protocol::encode(protocol::WorkerMessage(protocol::Failed{.rank = error.rank(),
                                                                   .host = error.host(),
                                                                   .message = error.what(),
                                                                   .cause = error.cause()}));
}

RankError decodeRankError(const std::string& bytes) {
  const auto failed = std::get<protocol::Failed>(protocol::decodeWorkerMessage(bytes));
  return {failed.message, failed.cause.value().value_or(protocol::FailureCause::Exception),
          failed.rank, failed.host};
}

}  // namespace lockstep::dist
