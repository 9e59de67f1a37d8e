#include "engine/supervisor/training_service.h"

#include <unistd.h>

#include "engine/base/error.h"
#include "engine/supervisor/device_turn.h"
#include "engine/supervisor/run_control.h"
#include "engine/supervisor/run_recorder.h"
#include "engine/supervisor/training_progress.h"

namespace lockstep::supervisor {
namespace {

using protocol::CommandName;

constexpr const char* kIsRestarting = "the run is restarting: retry when it is running";
constexpr const char* kIsQueued =
    "the run is queued and has not started: only status, queue and stop are possible";
constexpr const char* kIsNotQueued = "the run is not queued: it has started";

}  // namespace

TrainingService::TrainingService(PollLoop& loop, Run run)
    : run_(std::move(run)),
      server_(loop, run_.recorder.info().socket, static_cast<Service&>(*this)),
      requests_(
          server_, [this](const protocol::Control& control) { run_.control.ranks->send(control); },
          run_.recorder.layout()),
      files_(run_.recorder.layout(), run_.recorder.info().socket) {}

protocol::Welcome TrainingService::welcome() const {
  const run_folder::RunInfo& info = run_.recorder.info();
  return {run_.recorder.layout().folder().string(), info.attempt,
          run_.recorder.eventLog().newestSentSeq(), info.state};
}

std::filesystem::path TrainingService::eventFile() const { return run_.recorder.eventLog().path(); }

const std::deque<protocol::Event>& TrainingService::pendingEvents() const {
  return run_.recorder.eventLog().pending();
}

std::optional<protocol::Reset> TrainingService::resetFor(const protocol::Hello& hello) const {
  const EventLog& eventLog = run_.recorder.eventLog();
  return resetAfterRestart(hello, run_.recorder.info().attempt, eventLog.firstRestart(),
                           eventLog.lastRestart(), {eventLog.newestSeq(), eventLog.newestStep()});
}

std::optional<std::string> TrainingService::whyRefused(Need need) const {
  if (run_.turn.isWaiting())
    return need == Need::NotEnded ? std::nullopt : std::optional<std::string>(kIsQueued);
  const bool isRestarting = run_.control.isRestarting();
  if (!run_.control.isRunning() && !isRestarting) return std::string(kRunHasEnded);
  return need == Need::Ranks && isRestarting ? std::optional<std::string>(kIsRestarting)
                                             : std::nullopt;
}

void TrainingService::handle(const RequestToken& token, const protocol::Command& command) {
  if (command.name == CommandName::Status)
    return server_.send(token, protocol::Ok{token.id, status()});
  const bool needsRanks =
      command.name == CommandName::Evaluate || command.name == CommandName::Checkpoint;
  const bool isStop = command.name == CommandName::Stop || command.name == CommandName::Dequeue;
  const Need need = needsRanks ? Need::Ranks : isStop ? Need::NotEnded : Need::Started;
  if (const auto reason = whyRefused(need)) return refuse(token, *reason);
  switch (command.name) {
    case CommandName::Evaluate:
      return requests_.evaluate(token);
    case CommandName::Checkpoint:
      return requests_.saveCheckpoint(token);
    case CommandName::Dequeue:
      if (!run_.turn.isWaiting()) return refuse(token, kIsNotQueued);
      [[fallthrough]];
    case CommandName::Stop:
      run_.requestStop("requested by a client");
      break;
    case CommandName::Pause:
    case CommandName::Resume:
      setPaused(command.name == CommandName::Pause);
      break;
    case CommandName::Status:
      break;
  }
  server_.send(token, protocol::Ok{token.id});
}

/// Ranks that are started again later are paused then.
void TrainingService::setPaused(bool isPaused) {
  run_.control.pauseRequested = isPaused;
  if (run_.control.isRestarting()) return;
  run_.control.send(isPaused ? protocol::Action(protocol::Pause())
                             : protocol::Action(protocol::Resume()));
}

void TrainingService::handle(const RequestToken& token, const protocol::PredictRequest& request) {
  if (auto resolved = withWeights(token, request)) requests_.predict(token, *std::move(resolved));
}

void TrainingService::handle(const RequestToken& token, const protocol::ExplainRequest& request) {
  if (auto resolved = withWeights(token, request)) requests_.explain(token, *std::move(resolved));
}

/// The request with its weights as a file; std::nullopt: it is refused.
template <typename Request>
std::optional<Request> TrainingService::withWeights(const RequestToken& token, Request request) {
  if (const auto reason = whyRefused(Need::Ranks)) return refuse(token, *reason), std::nullopt;
  try {
    if (!request.weights.empty())
      request.weights = run_folder::resolveWeights(run_.recorder.layout(), request.weights);
  } catch (const Error& error) {
    return refuse(token, error.what()), std::nullopt;
  }
  return request;
}

void TrainingService::handle(const RequestToken& token, const protocol::CancelRequest&) {
  requests_.cancel(token);
}

void TrainingService::clientGone(std::int64_t client) { requests_.cancelAllOf(client); }

void TrainingService::handle(const RequestToken& token, const protocol::QueueRequest& request) {
  if (const auto reason = whyRefused(Need::NotEnded)) return refuse(token, *reason);
  if (!run_.turn.isWaiting()) return refuse(token, kIsNotQueued);
  try {
    run_.moveInQueue(request.position);
  } catch (const Error& error) {
    return refuse(token, error.what());
  }
  server_.send(token, protocol::Ok{token.id});
}

void TrainingService::handle(const RequestToken& token, const protocol::FileRequest& request) {
  server_.send(token, files_.answer(request));
}

void TrainingService::refuse(const RequestToken& token, const std::string& reason) {
  server_.send(token, protocol::ErrorReply{token.id, reason});
}

protocol::RunStatus TrainingService::status() const {
  const run_folder::RunInfo& info = run_.recorder.info();
  protocol::RunStatus status =
      statusOf(run_.recorder.layout(), info, run_.recorder.eventLog().newestSeq());
  status.pid = ::getpid();
  status.imagesPerSecond = run_.progress.imagesPerSecond();
  status.etaSeconds = run_.progress.etaSeconds();
  const RankGroup* ranks = run_.control.ranks.get();
  for (int local = 0; ranks != nullptr && local < ranks->count(); ++local) {
    const protocol::Heartbeat& heartbeat = ranks->heartbeat(local);
    status.ranks.push_back({ranks->rank(local), heartbeat.step, heartbeat.phase});
  }
  if (!status.ranks.empty()) status.phase = status.ranks.front().phase;
  return status;
}

}  // namespace lockstep::supervisor
