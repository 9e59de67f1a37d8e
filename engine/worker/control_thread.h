#pragma once

#include <thread>

#include "engine/train/mailbox.h"
#include "engine/train/phase.h"
#include "engine/worker/channel.h"

namespace lockstep::worker {

/// Receives what the supervisor sends while the main thread works, and tells it every second where
/// the rank is. When the supervisor is gone the mailbox gets a stop, so that no rank lives on
/// alone.
class ControlThread {
 public:
  ControlThread(Channel& channel, train::Mailbox& mailbox, const train::PhaseReport& phase);

 private:
  void run(std::stop_token stop);

  Channel& channel_;
  train::Mailbox& mailbox_;
  const train::PhaseReport& phase_;
  std::jthread thread_;  ///< last: starts when the rest is there
};

}  // namespace lockstep::worker
