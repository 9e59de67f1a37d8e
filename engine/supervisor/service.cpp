#include "engine/supervisor/service.h"

namespace lockstep::supervisor {

namespace {

std::optional<protocol::RunStatus::Best> bestOf(const run_folder::RunInfo& info) {
  if (!info.best) return std::nullopt;
  return protocol::RunStatus::Best{info.best->metric, info.best->value, info.best->step};
}

}  // namespace

const std::deque<protocol::Event>& Service::pendingEvents() const {
  static const std::deque<protocol::Event> none;
  return none;
}

void Service::clientGone(std::int64_t) {}

protocol::RunStatus statusOf(const run_folder::Layout& layout, const run_folder::RunInfo& info,
                             std::int64_t newestSeq) {
  return {.state = info.state,
          .attempt = info.attempt,
          .step = info.step,
          .maxSteps = info.maxSteps,
          .seq = newestSeq,
          .queuePosition = info.queuePosition,
          .name = info.name,
          .stepsPerEpoch = info.stepsPerEpoch,
          .isRangeTest = info.isRangeTest,
          .checkpoints = run_folder::checkpointSteps(layout),
          .best = bestOf(info),
          .created = info.created,
          .started = info.started,
          .finished = info.finished,
          .error = info.error};
}

std::optional<protocol::Reset> resetAfterRestart(const protocol::Hello& hello, int attempt,
                                                 const std::optional<protocol::Reset>& firstRestart,
                                                 const std::optional<protocol::Reset>& lastRestart,
                                                 const protocol::Reset& newest) {
  if (hello.since < 0) return std::nullopt;  // it has nothing
  // Of another run that had this folder before.
  if (hello.attempt > attempt) return protocol::Reset{0, 0};
  std::optional<protocol::Reset> reset;
  if (hello.attempt > 0 && hello.attempt < attempt)
    reset = hello.attempt == attempt - 1 ? lastRestart : firstRestart;
  // It has records that are not in the log (lost with the machine, or of another file).
  if (!reset && hello.since > newest.seq) reset = newest;
  return reset;
}

}  // namespace lockstep::supervisor
