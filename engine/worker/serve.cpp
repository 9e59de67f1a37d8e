#include "engine/worker/serve.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <thread>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/train/failure.h"
#include "engine/worker/control_thread.h"

namespace lockstep::worker {
namespace {

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
