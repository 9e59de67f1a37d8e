// What a training run makes of the worker's messages and of its clients' requests.
#include <unistd.h>

#include <variant>

#include "engine/base/json_writer.h"
#include "engine/supervisor/training_run.h"

namespace lockstep::supervisor {
namespace {

constexpr const char* kStartsAgain = "the run is starting again: ask once it runs";

}  // namespace

void TrainingRun::takeMessage(int rank, const protocol::WorkerMessage& message) {
  if (rank == 0) return std::visit([this](const auto& content) { take(content); }, message);
  if (const auto* log = std::get_if<protocol::WorkerLog>(&message)) {
    const std::string name = "rank " + std::to_string(rank);
    recorder_.recordLog(log->level, name + ": " + log->text);
    log_.say(name, *log);
  }
}

void TrainingRun::take(const protocol::ScalarBatch& batch) {
  protocol::ScalarBatch told = batch;
  deviceUse_.tellIn(told, Clock::now());
  for (const protocol::StepScalars& scalars : told.records) {
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

void TrainingRun::take(const protocol::EvaluationReady& ready) {
  recorder_.commitEvaluation(ready);
}

void TrainingRun::take(const protocol::PredictionsReady& ready) {
  recorder_.commitPredictions(ready);
}

void TrainingRun::take(const protocol::DivergenceReady& ready) {
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

const std::deque<events::Record>& TrainingRun::waitingRecords() const {
  return recorder_.journal().waiting();
}

std::optional<protocol::Reset> TrainingRun::resetFor(const protocol::Hello& hello) const {
  const EventJournal& journal = recorder_.journal();
  return resetAfterRestart(hello, recorder_.info().attempt, journal.firstRestart(),
                           journal.lastRestart(), {journal.newestSeq(), journal.newestStep()});
}

void TrainingRun::handle(const RequestToken& token, const protocol::Command& command) {
  if (command.name == "status")
    return server_->send(token, protocol::Ok{token.id, statusMembers()});
  if (!isRunning() && !startsAfter_) return refuse(token, "the run has ended");
  if (command.name == "evaluate" || command.name == "checkpoint") {
    if (startsAfter_) return refuse(token, kStartsAgain);
    return requests_->submit(token, command.name);
  }
  if (command.name == "stop") {
    requestStop("asked by a client");
  } else {
    pauseRequested_ = command.name == "pause";
    if (!startsAfter_) ranks_->send({.name = command.name, .id = "", .predict = {}, .out = ""});
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

std::string TrainingRun::statusMembers() const {
  const run_folder::RunInfo& info = recorder_.info();
  std::string json;
  base::JsonWriter writer(json);
  const auto member = [&writer](const char* name, const auto& value) {
    writer.member(name, value);
  };
  writer.beginObject();
  member("state", std::string_view(info.state));
  member("attempt", info.attempt);
  member("step", info.step);
  member("max_steps", info.maxSteps);
  member("seq", recorder_.journal().newestSeq());
  member("phase", std::string_view(ranks_ ? ranks_->heartbeat(0).phase : ""));
  member("pid", std::int64_t{::getpid()});
  member("images_per_second", progress_.imagesPerSecond());
  member("eta_seconds", progress_.etaSeconds());
  writer.key("ranks");
  writer.beginArray();
  for (int local = 0; ranks_ && local < ranks_->count(); ++local) {
    const protocol::Heartbeat& heartbeat = ranks_->heartbeat(local);
    writer.beginObject();
    member("rank", ranks_->rank(local));
    member("step", heartbeat.step);
    member("phase", std::string_view(heartbeat.phase));
    writer.endObject();
  }
  writer.endArray();
  writer.endObject();
  return json;
}

}  // namespace lockstep::supervisor
