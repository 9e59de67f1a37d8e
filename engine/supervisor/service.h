#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/protocol/messages.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::supervisor {

/// Where the answer to a request goes, now or later.
struct RequestToken {
  std::int64_t client = 0;
  std::string id;
};

/// What a SocketServer serves: the records of a run, and answers to requests. Called from the loop;
/// must not block.
class Service {
 public:
  virtual ~Service() = default;
  virtual protocol::Welcome welcome() const = 0;
  /// Its records are sent to clients; empty: there is none.
  virtual std::filesystem::path eventFile() const = 0;
  /// Events that the file does not hold yet, with the seq that each will have there. The default:
  /// none.
  virtual const std::deque<protocol::Event>& pendingEvents() const;
  /// What a client must discard after this Hello.
  virtual std::optional<protocol::Reset> resetFor(const protocol::Hello& hello) const = 0;
  /// Answers at once or later through SocketServer::send.
  virtual void handle(const RequestToken& token, const protocol::Command& command) = 0;
  virtual void handle(const RequestToken& token, const protocol::PredictRequest& request) = 0;
  virtual void handle(const RequestToken& token, const protocol::ExplainRequest& request) = 0;
  virtual void handle(const RequestToken& token, const protocol::CancelRequest& request) = 0;
  virtual void handle(const RequestToken& token, const protocol::QueueRequest& request) = 0;
  virtual void handle(const RequestToken& token, const protocol::FileRequest& request) = 0;
  /// A client has gone. The default: nothing.
  virtual void clientGone(std::int64_t client);
};

/// Why a run that has ended refuses a request.
inline constexpr const char* kRunHasEnded = "the run has ended";

/// What run.json and the run folder say. Lists the checkpoints.
protocol::RunStatus statusOf(const run_folder::Layout& layout, const run_folder::RunInfo& info,
                             std::int64_t newestSeq);

/// The reset for a client that has the records up to `hello.since` of `hello.attempt`, while the
/// event log is in `attempt`. After several restarts, the earliest: some records are sent twice,
/// none that were truncated stay. A client of a later attempt has another run's records.
std::optional<protocol::Reset> resetAfterRestart(const protocol::Hello& hello, int attempt,
                                                 const std::optional<protocol::Reset>& firstRestart,
                                                 const std::optional<protocol::Reset>& lastRestart,
                                                 const protocol::Reset& newest);

}  // namespace lockstep::supervisor
