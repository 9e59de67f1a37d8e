// What a training run makes of the worker's messages and of its clients' requests.
#include <unistd.h>

#include <type_traits>
#include <variant>

#include "engine/supervisor/training_run.h"

namespace lockstep::supervisor {
namespace {

constexpr const char* kStartsAgain = "the run is starting again: ask once it runs";

}  // namespace

/// Of rank 0: what this run makes of it, else a file to be put in its place, else an event for the
/// log. The rest the group keeps to itself.
void TrainingRun::takeMessage(int rank, const protocol::WorkerMessage& message) {
  const auto takeHeld = [this]<typename Message>(const Message& held) {
    if constexpr (requires { take(held); }) {
      take(held);
    } else if constexpr (requires { recorder_.commit(held); }) {
      recorder_.commit(held);
    } else if constexpr (std::is_constructible_v<protocol::Event, Message>) {
      recorder_.record(held);
    }
  };
  if (rank == 0) return std::visit(takeHeld, message);
  if (const auto* log = std::get_if<protocol::Log>(&message)) {
    const std::string name = "rank " + std::to_string(rank);
    recorder_.record(protocol::Log{.level = log->level, .text = name + ": " + log->text});
    log_.say(name, *log);
  }
}

void TrainingRun::take(const protocol::ScalarBatch& batch) {
  protocol::ScalarBatch told = batch;
  deviceUse_.tellIn(told, Clock::now());
  for (const protocol::Scalars& scalars : told.records) {
    recorder_.recordScalars(scalars);
    progress_.add(scalars);
    if (const std::string line = evaluationLine(scalars); !line.empty()) {
      log_.say("train", line);
    } else if (const auto due = progress_.dueLine()) {
      log_.isTerminal() ? log_.fileLine(*due) : log_.line(*due);
    }
  }
  log_.status(progress_.statusText());
}

void TrainingRun::take(const protocol::State& state) {
  // Asked to stop, a run is stopping until it has: what the worker still ends first does not change
  // that.
  if (stopRequested_ || !state.state.value() || state.state == recorder_.info().state) return;
  recorder_.setState(*state.state.value());
}

void TrainingRun::take(const protocol::Log& log) {
  recorder_.record(log);
  log_.say("train", log);
}

void TrainingRun::take(const protocol::CheckpointReady& ready) {
  if (ready.last && ready.error.empty()) return keepLastCheckpoint(ready);
  if (recorder_.commitCheckpoint(ready)) {
    sayKept(ready);
  } else if (ready.last) {
    lost_ = {ready.error, ready.elsewhere};
  }
}

void TrainingRun::take(const protocol::BadImage& image) {
  recorder_.recordBadImage(image);
  log_.say("train", "warning: " + badImageText(image));
}

void TrainingRun::take(const protocol::Answer& answer) {
  protocol::Answer kept = answer;
  std::error_code ignored;
  if (kept.error.empty() && !kept.path.empty() && !std::filesystem::exists(kept.path, ignored)) {
    kept.error = kept.path + ": could not be kept";
  }
  requests_->answer(kept);
}

void TrainingRun::take(const protocol::Progress& progress) {
  log_.status(progress.text + " " + std::to_string(progress.done) + "/" +
              std::to_string(progress.total));
}

void TrainingRun::takeLogLine(int rank, const std::string& line) {
  const base::FileDescriptor& file = rankLogs_.at(static_cast<std::size_t>(rank));
  const std::string withNewline = line + "\n";
  [[maybe_unused]] const ssize_t written =
      ::write(file.get(), withNewline.data(), withNewline.size());
  log_.passOn(line, rank);
}

protocol::Welcome TrainingRun::welcome() const {
  const run_folder::RunInfo& info = recorder_.info();
  return {setup_.layout.folder().string(), info.attempt, recorder_.journal().newestSeq(),
          info.state};
}

std::filesystem::path TrainingRun::eventFile() const { return recorder_.journal().path(); }

const std::deque<protocol::Event>& TrainingRun::waitingEvents() const {
  return recorder_.journal().waiting();
}

std::optional<protocol::Reset> TrainingRun::resetFor(const protocol::Hello& hello) const {
  const EventJournal& journal = recorder_.journal();
  return resetAfterRestart(hello, recorder_.info().attempt, journal.firstRestart(),
                           journal.lastRestart(), {journal.newestSeq(), journal.newestStep()});
}

void TrainingRun::handle(const RequestToken& token, const protocol::Command& command) {
  using protocol::CommandName;
  if (command.name == CommandName::Status)
    return server_->send(token, protocol::Ok{token.id, status()});
  if (!isRunning() && !startsAfter_) return refuse(token, "the run has ended");
  const bool isForWorker =
      command.name == CommandName::Evaluate || command.name == CommandName::Checkpoint;
  if (isForWorker && startsAfter_) return refuse(token, kStartsAgain);
  switch (command.name) {
    case CommandName::Evaluate:
      return requests_->evaluate(token);
    case CommandName::Checkpoint:
      return requests_->saveCheckpoint(token);
    case CommandName::Stop:
      requestStop("asked by a client");
      break;
    case CommandName::Pause:
      pauseRequested_ = true;
      if (!startsAfter_) tellRanks(protocol::Pause());
      break;
    case CommandName::Resume:
      pauseRequested_ = false;
      if (!startsAfter_) tellRanks(protocol::Resume());
      break;
    case CommandName::Status:
      break;
  }
  server_->send(token, protocol::Ok{token.id});
}

void TrainingRun::handle(const RequestToken& token, const protocol::PredictRequest& request) {
  if (startsAfter_) return refuse(token, kStartsAgain);
  if (!isRunning()) return refuse(token, "the run has ended");
  protocol::PredictRequest resolved = request;
  try {
    if (!request.weights.empty())
      resolved.weights = run_folder::resolveWeights(setup_.layout, request.weights);
  } catch (const Error& error) {
    return refuse(token, error.what());
  }
  requests_->predict(token, std::move(resolved));
}

void TrainingRun::refuse(const RequestToken& token, const std::string& reason) {
  server_->send(token, protocol::ErrorReply{token.id, reason});
}

protocol::RunStatus TrainingRun::status() const {
  const run_folder::RunInfo& info = recorder_.info();
  protocol::RunStatus status{.state = info.state,
                             .attempt = info.attempt,
                             .step = info.step,
                             .maxSteps = info.maxSteps,
                             .seq = recorder_.journal().newestSeq(),
                             .pid = ::getpid(),
                             .imagesPerSecond = progress_.imagesPerSecond(),
                             .etaSeconds = progress_.etaSeconds()};
  for (int local = 0; ranks_ && local < ranks_->count(); ++local) {
    const protocol::Heartbeat& heartbeat = ranks_->heartbeat(local);
    status.ranks.push_back({ranks_->rank(local), heartbeat.step, heartbeat.phase});
  }
  if (!status.ranks.empty()) status.phase = status.ranks.front().phase;
  return status;
}

}  // namespace lockstep::supervisor
