#include "engine/worker/control_thread.h"

#include <chrono>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/log.h"

namespace lockstep::worker {
namespace {

constexpr std::chrono::milliseconds kHeartbeatInterval{1000};
/// How often the thread checks whether it should stop.
constexpr std::chrono::milliseconds kStopInterval{100};

}  // namespace

ControlThread::ControlThread(Channel& channel, train::Mailbox& mailbox,
                             const train::PhaseReport& phase, WorkerWorld& world)
    : channel_(channel),
      mailbox_(mailbox),
      phase_(phase),
      world_(world),
      thread_([this](std::stop_token stop) { run(stop); }) {}

void ControlThread::run(std::stop_token stop) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point next = Clock::now();
  while (!stop.stop_requested() && !channel_.isClosed()) {
    if (Clock::now() >= next) {
      channel_.send(protocol::Heartbeat{phase_.rank, phase_.step, phase_.phase.load(),
                                        phase_.collective.load(), phase_.waiting, phase_.images});
      if (const auto lost = world_.exchangeStatus()) channel_.send(*lost);
      next = Clock::now() + kHeartbeatInterval;
    }
    try {
      const auto message = channel_.receive(static_cast<int>(kStopInterval.count()));
      if (!message) continue;
      const auto* control = std::get_if<protocol::Control>(&*message);
      if (control == nullptr) continue;
      if (std::holds_alternative<protocol::Cancel>(control->action)) {
        mailbox_.cancel(control->id);
      } else {
        mailbox_.post(*control);
      }
    } catch (const Error& error) {
      base::logWarning("worker", error.what());
    }
  }
  if (channel_.isClosed()) mailbox_.post({.action = protocol::Stop()});
}

}  // namespace lockstep::worker
