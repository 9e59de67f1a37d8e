// What a training run makes of the worker's messages and of its clients' requests.
#include <unistd.h>

#include "engine/protocol/json_text.h"
#include "engine/supervisor/training_run.h"

namespace lockstep::supervisor {

void TrainingRun::take(const protocol::Heartbeat& heartbeat) {
  heartbeat_ = heartbeat;
  stallWatch_.note(heartbeat, Clock::now());
}

void TrainingRun::take(const protocol::ScalarBatch& batch) {
  stallWatch_.noteWork(Clock::now());
  for (const protocol::StepScalars& scalars : batch.records) {
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

void TrainingRun::take(const protocol::WorkerState& state) {
  stallWatch_.noteWork(Clock::now());
  // Asked to stop, a run is stopping until it has: what the worker still ends first does not change
  // that.
  if (stopRequested_ || state.state == recorder_.info().state) return;
  recorder_.setState(state.state);
}

void TrainingRun::take(const protocol::WorkerLog& log) {
  recorder_.recordLog(log.level, log.text);
  log_.say("train", log);
}

void TrainingRun::take(const protocol::CheckpointReady& ready) {
  stallWatch_.noteWork(Clock::now());
  const bool kept = recorder_.commitCheckpoint(ready);
  if (ready.last) lastCheckpointLost_ = !kept;
  if (kept)
    log_.say("train",
             "checkpoint step=" + std::to_string(ready.step) + (ready.best ? " best" : ""));
}

void TrainingRun::take(const protocol::EvaluationReady& ready) {
  stallWatch_.noteWork(Clock::now());
  recorder_.commitEvaluation(ready);
}

void TrainingRun::take(const protocol::PredictionsReady& ready) {
  stallWatch_.noteWork(Clock::now());
  recorder_.commitPredictions(ready);
}

void TrainingRun::take(const protocol::DivergenceReady& ready) {
  stallWatch_.noteWork(Clock::now());
  recorder_.commitDivergence(ready);
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
  stallWatch_.noteWork(Clock::now());
  log_.status(progress.text + " " + std::to_string(progress.done) + "/" +
              std::to_string(progress.total));
}

void TrainingRun::take(const protocol::Finished& finished) {
  finished_ = finished;
  graceEnd_ = Clock::now() + kExitGrace;
}

void TrainingRun::take(const protocol::Failed& failed) {
  if (!failed_) failed_ = failed;
  graceEnd_ = Clock::now() + kExitGrace;
}

void TrainingRun::takeLogLine(const std::string& line) {
  const std::string withNewline = line + "\n";
  [[maybe_unused]] const ssize_t written =
      ::write(rankLog_.get(), withNewline.data(), withNewline.size());
  log_.passOn(line);
}

protocol::Welcome TrainingRun::welcome() const {
  const run_folder::RunInfo& info = recorder_.info();
  return {setup_.layout.folder().string(), info.attempt, recorder_.journal().newestSeq(),
          info.state};
}

std::filesystem::path TrainingRun::eventFile() const { return recorder_.journal().path(); }

std::optional<protocol::Reset> TrainingRun::resetFor(const protocol::Hello& hello) const {
  const EventJournal& journal = recorder_.journal();
  return resetAfterRestart(hello, recorder_.info().attempt, journal.firstRestart(),
                           journal.lastRestart(), {journal.newestSeq(), journal.newestStep()});
}

void TrainingRun::handle(const RequestToken& token, const protocol::Command& command) {
  if (command.name == "status")
    return server_->send(token, protocol::Ok{token.id, statusMembers()});
  if (!worker_.isRunning())
    return server_->send(token, protocol::ErrorReply{token.id, "the run has ended"});
  if (command.name == "evaluate" || command.name == "checkpoint")
    return requests_->submit(token, command.name);
  if (command.name == "stop") {
    requestStop("asked by a client");
  } else {
    worker_.send({.name = command.name, .id = "", .predict = {}, .out = ""});
  }
  server_->send(token, protocol::Ok{token.id});
}

void TrainingRun::handle(const RequestToken& token, const protocol::PredictRequest& request) {
  if (!worker_.isRunning())
    return server_->send(token, protocol::ErrorReply{token.id, "the run has ended"});
  protocol::PredictRequest resolved = request;
  try {
    if (!request.weights.empty())
      resolved.weights = run_folder::resolveWeights(setup_.layout, request.weights);
  } catch (const Error& error) {
    return server_->send(token, protocol::ErrorReply{token.id, error.what()});
  }
  requests_->predict(token, std::move(resolved));
}

std::string TrainingRun::statusMembers() const {
  const run_folder::RunInfo& info = recorder_.info();
  std::string json;
  protocol::JsonWriter writer(json);
  const auto member = [&writer](const char* name, const auto& value) {
    writer.key(name);
    writer.value(value);
  };
  writer.beginObject();
  member("state", std::string_view(info.state));
  member("attempt", info.attempt);
  member("step", info.step);
  member("max_steps", info.maxSteps);
  member("seq", recorder_.journal().newestSeq());
  member("phase", std::string_view(heartbeat_.phase));
  member("pid", std::int64_t{::getpid()});
  member("images_per_second", progress_.imagesPerSecond());
  member("eta_seconds", progress_.etaSeconds());
  writer.endObject();
  return json;
}

}  // namespace lockstep::supervisor
