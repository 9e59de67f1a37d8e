#include "engine/supervisor/inspect_session.h"

#include <variant>

#include "engine/events/reader.h"

namespace lockstep::supervisor {

InspectSession::InspectSession(InspectSetup setup, std::function<void()> onReady)
    : setup_(std::move(setup)),
      signals_(
          loop_,
          [this](const StopSignal&) {
            ending_ = true;
            worker_.kill();
          },
          [this] { worker_.reap(); }),
      worker_(loop_, {[this](const protocol::WorkerMessage& message) { handle(message); },
                      [this](const std::string& line) { log_.forwardWarning(line); },
                      [this](const WorkerExit& exit) { workerExited(exit); }}),
      onReady_(std::move(onReady)) {
  info_.state = protocol::RunState::Finished;
  if (!setup_.run) return;
  info_ = run_folder::summarise(setup_.run->folder()).info;
  files_.emplace(*setup_.run);
  eventFile_ = events::findEventFile(setup_.run->folder());
  eventLog_ = summariseEventLog(eventFile_);
}

InspectSession::~InspectSession() = default;

void InspectSession::run() {
  server_ = std::make_unique<SocketServer>(loop_, setup_.socket, static_cast<Service&>(*this));
  server_->listen();
  requests_ = std::make_unique<WorkerRequests>(
      *server_, [this](const protocol::Control& control) { worker_.send(control); }, setup_.run);
  worker_.start(setup_.workerProgram, {setup_.placement, setup_.job});
  loop_.every(std::chrono::seconds(1), [this] { everySecond(); });
  loop_.run();
  if (!failure_.empty()) throw Error(failure_, failureStatus_);
}

void InspectSession::everySecond() {
  if (const auto error = server_->restoreSocket()) log_.warn("engine", *error);
  if (!requests_->isEmpty()) lastRequest_ = Clock::now();
  if (Clock::now() - lastRequest_ < setup_.idleLimit) return;
  ending_ = true;
  worker_.kill();
}

void InspectSession::handle(const protocol::WorkerMessage& message) {
  if (const auto* answer = std::get_if<protocol::Answer>(&message)) {
    requests_->answer(*answer);
  } else if (const auto* progress = std::get_if<protocol::Progress>(&message)) {
    requests_->tell(*progress);
  } else if (std::holds_alternative<protocol::State>(message) && !ready_) {
    ready_ = true;
    onReady_();
  } else if (const auto* failed = std::get_if<protocol::Failed>(&message)) {
    failure_ = failed->message;
    failureStatus_ = static_cast<ExitStatus>(failed->exitStatus);
  } else if (const auto* log = std::get_if<protocol::Log>(&message)) {
    log_.write("worker", *log);
  }
}

void InspectSession::workerExited(const WorkerExit& exit) {
  if (ending_) {
    failure_.clear();  // who still waits sees the connection close, and may inspect by itself
  } else {
    if (failure_.empty()) failure_ = "the worker exited (" + exit.describe() + ")";
    requests_->failAll(failure_);
  }
  loop_.stop();
}

protocol::Welcome InspectSession::welcome() const {
  return {setup_.target.string(), info_.attempt, eventLog_.newestSentSeq, info_.state};
}

std::optional<protocol::Reset> InspectSession::resetFor(const protocol::Hello& hello) const {
  return resetAfterRestart(hello, info_.attempt, eventLog_.firstRestart, eventLog_.lastRestart,
                           {eventLog_.newestSeq, eventLog_.newestStep});
}

void InspectSession::handle(const RequestToken& token, const protocol::Command& command) {
  using protocol::CommandName;
  lastRequest_ = Clock::now();
  switch (command.name) {
    case CommandName::Evaluate:
      return requests_->evaluate(token);
    case CommandName::Status:
      return server_->send(token, protocol::Ok{token.id, protocol::InspectionStatus{
                                                             info_.state, setup_.job.model.step,
                                                             setup_.job.model.weights}});
    case CommandName::Stop:
      server_->send(token, protocol::Ok{token.id});
      ending_ = true;
      return worker_.kill();
    case CommandName::Pause:
    case CommandName::Resume:
    case CommandName::Checkpoint:
    case CommandName::Dequeue:
      refuseOfTrainings(token, base::textOf(command.name));
  }
}

void InspectSession::refuseOfTrainings(const RequestToken& token, const std::string& request) {
  server_->send(token, protocol::ErrorReply{token.id, request + " is for training runs; this is an "
                                                                "inspect session"});
}

void InspectSession::handle(const RequestToken& token, const protocol::CancelRequest&) {
  requests_->cancel(token);
}

void InspectSession::clientGone(std::int64_t client) { requests_->cancelAllOf(client); }

void InspectSession::handle(const RequestToken& token, const protocol::QueueRequest&) {
  refuseOfTrainings(token, "queue");
}

void InspectSession::handle(const RequestToken& token, const protocol::FileRequest& request) {
  if (!files_) return refuseOfTrainings(token, "file");
  server_->send(token, files_->answer(request));
}

void InspectSession::handle(const RequestToken& token, const protocol::PredictRequest& request) {
  if (auto resolved = withWeights(token, request)) requests_->predict(token, *std::move(resolved));
}

void InspectSession::handle(const RequestToken& token, const protocol::ExplainRequest& request) {
  if (auto resolved = withWeights(token, request)) requests_->explain(token, *std::move(resolved));
}

/// The request with its weights as a file; std::nullopt: it is refused.
template <typename Request>
std::optional<Request> InspectSession::withWeights(const RequestToken& token, Request request) {
  lastRequest_ = Clock::now();
  try {
    if (!request.weights.empty()) request.weights = resolveWeights(request.weights);
  } catch (const Error& error) {
    server_->send(token, protocol::ErrorReply{token.id, error.what()});
    return std::nullopt;
  }
  return request;
}

std::string InspectSession::resolveWeights(const std::string& weights) const {
  if (setup_.run) return run_folder::resolveWeights(*setup_.run, weights).string();
  if (std::filesystem::is_regular_file(weights)) return weights;
  throw UserError(
      weights +
      ": no such weights file (an inspected configuration has no checkpoints of its own)");
}

}  // namespace lockstep::supervisor
