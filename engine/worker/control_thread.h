#pragma once

#include <thread>

#include "engine/train/mailbox.h"
#include "engine/train/phase.h"
#include "engine/worker/channel.h"
#include "engine/worker/worker_world.h"

namespace lockstep::worker {

/// Receives the supervisor's messages while the main thread works, and sends it a heartbeat every
/// second and the failures of ranks on other machines. When the supervisor exits, the mailbox gets
/// a Stop, so that no rank is orphaned.
class ControlThread {
 public:
  ControlThread(Channel& channel, train::Mailbox& mailbox, const train::PhaseReport& phase,
                WorkerWorld& world);

 private:
  void run(std::stop_token stop);

  Channel& channel_;
  train::Mailbox& mailbox_;
  const train::PhaseReport& phase_;
  WorkerWorld& world_;
  std::jthread thread_;  ///< last: starts when the other members are initialised
};

}  // namespace lockstep::worker
