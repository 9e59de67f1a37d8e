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

/// What a rank says of its failure, once, whichever thread meets it first.
class LastWord {
 public:
  LastWord(Channel& channel, OwnWorld& world, const train::PhaseReport& phase, std::string gpu)
      : channel_(channel), world_(world), phase_(phase), gpu_(std::move(gpu)) {}

  /// Returns the exit status.
  int say(const std::exception& fault) {
    if (isBegun_.exchange(true)) {
      if (speaker_ == std::this_thread::get_id()) return static_cast<int>(ExitStatus::Failed);
      isBegun_.wait(true);  // the other one ends the process
    }
    speaker_ = std::this_thread::get_id();
    const train::Failure failure =
        train::failureOf(fault, {phase_.step, phase_.phase.load(), phase_.waiting, gpu_});
    protocol::Failed failed;
    failed.step = phase_.step;
    failed.phase = phase_.phase.load();
    failed.collective = phase_.collective.load();
    failed.message = failure.message;
    failed.cause = failure.cause;
    failed.exitStatus = failure.exitStatus;
    base::logLine(base::LogLevel::Error, "worker", failed.message);
    if (failure.rank >= 0 && failure.rank != phase_.rank) {
      tellOf(failure, failed);
    } else {
      if (const auto culprit = world_.fail(failed)) channel_.send(*culprit);
      channel_.send(failed);
    }
    return failed.exitStatus;
  }

 private:
  /// This rank ends because of another, which all know.
  void tellOf(const train::Failure& failure, protocol::Failed own) {
    protocol::Failed others = own;
    others.rank = failure.rank;
    others.host = failure.host;
    channel_.send(others);
    own.cause = protocol::FailureCause::LostPeer;
    channel_.send(own);
  }

  Channel& channel_;
  OwnWorld& world_;
  const train::PhaseReport& phase_;
  std::string gpu_;
  std::atomic<bool> isBegun_{false};
  std::atomic<std::thread::id> speaker_{};
};

/// For endAtOnce(), which is given nothing.
std::atomic<LastWord*> lastWord{nullptr};

/// What terminates otherwise without a word the supervisor could read: an exception out of a
/// destructor while another one is on its way, or out of a thread of LibTorch's.
[[noreturn]] void endAtOnce() {
  LastWord* const word = lastWord;
  const std::exception_ptr fault = std::current_exception();
  if (word == nullptr || !fault) std::abort();
  try {
    std::rethrow_exception(fault);
  } catch (const std::exception& exception) {
    ::_exit(word->say(exception));
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
  OwnWorld world(phase);
  LastWord word(channel, world, phase, job->place.gpuName);
  lastWord = &word;
  std::set_terminate(endAtOnce);
  const ControlThread control(channel, mailbox, phase, world);
  int status = 0;
  try {
    const protocol::Finished finished =
        run(job->work, {job->place, world, channel, mailbox, phase});
    channel.send(finished);
    status = static_cast<int>(finished.stopped ? ExitStatus::Stopped : ExitStatus::Done);
  } catch (const std::exception& fault) {
    // What a broken GPU or a broken group holds cannot be given back: that would throw, or wait for
    // ever.
    ::_exit(word.say(fault));
  }
  lastWord = nullptr;
  return status;
}

}  // namespace lockstep::worker
