#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/protocol/messages.h"

namespace lockstep::supervisor {

/// Who asked, so that the answer finds its way even when it comes later.
struct RequestToken {
  std::int64_t client = 0;
  std::string id;
};

/// What a socket serves: one run's records, and answers to requests. Called on the loop; must not
/// block.
class Service {
 public:
  virtual ~Service() = default;
  virtual protocol::Welcome welcome() const = 0;
  /// The event file whose records clients follow; empty: there is none.
  virtual std::filesystem::path eventFile() const = 0;
  /// Events that the file does not hold yet, with the seq that each will have there. None, unless
  /// overridden.
  virtual const std::deque<protocol::Event>& waitingEvents() const;
  /// What a client that greets so has to forget first.
  virtual std::optional<protocol::Reset> resetFor(const protocol::Hello& hello) const = 0;
  /// Answers at once or later through SocketServer::send.
  virtual void handle(const RequestToken& token, const protocol::Command& command) = 0;
  virtual void handle(const RequestToken& token, const protocol::PredictRequest& request) = 0;
};

/// The reset of a client that holds `hello.since` of `hello.attempt`, while the log is in
/// `attempt`. With several restarts since, the oldest counts: more is sent again than needed, and
/// nothing is left that was cut. A client of an attempt that has not been holds another run's.
std::optional<protocol::Reset> resetAfterRestart(const protocol::Hello& hello, int attempt,
                                                 const std::optional<protocol::Reset>& firstRestart,
                                                 const std::optional<protocol::Reset>& lastRestart,
                                                 const protocol::Reset& newest);

}  // namespace lockstep::supervisor
