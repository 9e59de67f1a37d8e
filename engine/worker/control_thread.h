#pragma once

#include <thread>

#include "engine/train/mailbox.h"
#include "engine/train/phase.h"
#include "engine/worker/channel.h"
#include "engine/worker/own_world.h"

namespace lockstep::worker {

/// Receives what the supervisor sends while the main thread works, and tells it every second where
/// the rank is, and what it hears of ranks on other machines. When the supervisor is gone the
/// mailbox gets a stop, so that no rank lives on alone.
class ControlThread {
 public:
  ControlThread(Channel& channel, train::Mailbox& mailbox, const train::PhaseReport& phase,
                OwnWorld& world);

 private:
  void run(std::stop_token stop);

  Channel& channel_;
  train::Mailbox& mailbox_;
  const train::PhaseReport& phase_;
  OwnWorld& world_;
  std::jthread thread_;  ///< last: starts when the rest is there
};

}  // namespace lockstep::worker
