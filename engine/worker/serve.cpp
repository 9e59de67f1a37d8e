#include "engine/worker/serve.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <thread>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/train/failure.h"

namespace lockstep::worker {
namespace {

constexpr std::chrono::milliseconds kHeartbeatInterval{1000};
/// How often the control thread checks whether it should stop.
constexpr std::chrono::milliseconds kStopInterval{100};

/// Receives the supervisor's messages while the main thread works. Sends it a heartbeat every
/// second and as soon as the rank has joined the others, and the failures of ranks on other
/// machines. When the supervisor exits, the mailbox gets a Stop, so that no rank is orphaned.
class ControlThread {
 public:
  ControlThread(Channel& channel, train::Mailbox& mailbox, const train::PhaseReport& phase,
                WorkerWorld& world)
      : channel_(channel),
        mailbox_(mailbox),
        phase_(phase),
        world_(world),
        thread_([this](std::stop_token stop) { run(stop); }) {}

 private:
  void run(std::stop_token stop) {
    using Clock = std::chrono::steady_clock;
    Clock::time_point next = Clock::now();
    bool reportedJoined = false;
    while (!stop.stop_requested() && !channel_.isClosed()) {
      const bool hasJoined = phase_.phase != protocol::Phase::Joining;
      if (Clock::now() >= next || hasJoined != reportedJoined) {
        reportedJoined = hasJoined;
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

  Channel& channel_;
  train::Mailbox& mailbox_;
  const train::PhaseReport& phase_;
  WorkerWorld& world_;
  std::jthread thread_;  ///< last: starts when the other members are initialised
};

/// Reports the failure of this rank once, from whichever thread fails first.
class FailureReport {
 public:
  FailureReport(Channel& channel, WorkerWorld& world, const train::PhaseReport& phase,
                std::string gpu)
      : channel_(channel), world_(world), phase_(phase), gpu_(std::move(gpu)) {}

  /// Returns the exit code.
  int send(const std::exception& error) {
    if (isStarted_.exchange(true)) {
      if (reporter_ == std::this_thread::get_id()) return static_cast<int>(ExitStatus::Failed);
      isStarted_.wait(true);  // the reporting thread ends the process
    }
    reporter_ = std::this_thread::get_id();
    const train::Failure failure =
        train::failureOf(error, {phase_.step, phase_.phase.load(), phase_.waiting, gpu_});
    protocol::Failed failed;
    failed.step = phase_.step;
    failed.phase = phase_.phase.load();
    failed.collective = phase_.collective.load();
    failed.message = failure.message;
    failed.cause = failure.cause;
    failed.exitStatus = failure.exitStatus;
    base::logLine(base::LogLevel::Error, "worker", failed.message);
    if (failure.rank >= 0 && failure.rank != phase_.rank) {
      reportLostPeer(failure, failed);
    } else {
      if (const auto culprit = world_.publishFailure(failed)) channel_.send(*culprit);
      channel_.send(failed);
    }
    return failed.exitStatus;
  }

 private:
  /// This rank fails because another one failed, and that rank is known.
  void reportLostPeer(const train::Failure& failure, protocol::Failed own) {
    protocol::Failed others = own;
    others.rank = failure.rank;
    others.host = failure.host;
    channel_.send(others);
    own.cause = protocol::FailureCause::LostPeer;
    channel_.send(own);
  }

  Channel& channel_;
  WorkerWorld& world_;
  const train::PhaseReport& phase_;
  std::string gpu_;
  std::atomic<bool> isStarted_{false};
  std::atomic<std::thread::id> reporter_{};
};

/// For reportAndExit(), a terminate handler without arguments.
std::atomic<FailureReport*> failureReport{nullptr};

/// Reports what would otherwise terminate without a message to the supervisor: an exception thrown
/// by a destructor during unwinding, or in a thread of LibTorch.
[[noreturn]] void reportAndExit() {
  FailureReport* const report = failureReport;
  const std::exception_ptr error = std::current_exception();
  if (report == nullptr || !error) std::abort();
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    ::_exit(report->send(exception));
  } catch (...) {
    std::abort();
  }
}

}  // namespace

protocol::Finished runWork(const protocol::Work& work, const JobContext& context) {
  return std::visit([&](const auto& job) { return run(job, context); }, work);
}

int serve(int fd,
          const std::function<protocol::Finished(const protocol::Work&, const JobContext&)>& run) {
  Channel channel(fd);
  const auto first = channel.receive(-1);
  const auto* job = first ? std::get_if<protocol::Job>(&*first) : nullptr;
  if (job == nullptr) return static_cast<int>(ExitStatus::Failed);
  train::Mailbox mailbox;
  train::PhaseReport phase;
  if (job->placement.nodes * job->placement.localRanks > 1)
    phase.phase = protocol::Phase::Joining;  // before the first heartbeat
  WorkerWorld world(phase);
  FailureReport report(channel, world, phase, job->placement.gpuName);
  failureReport = &report;
  std::set_terminate(reportAndExit);
  const ControlThread control(channel, mailbox, phase, world);
  int status = 0;
  try {
    const protocol::Finished finished =
        run(job->work, {job->placement, world, channel, mailbox, phase});
    channel.send(finished);
    status = static_cast<int>(finished.stopped ? ExitStatus::Stopped : ExitStatus::Done);
  } catch (const std::exception& error) {
    // No clean-up: after a CUDA error or in a broken process group, destructors would throw or
    // hang.
    ::_exit(report.send(error));
  }
  failureReport = nullptr;
  return status;
}

}  // namespace lockstep::worker
