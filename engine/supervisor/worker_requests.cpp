#include "engine/supervisor/worker_requests.h"

#include <utility>

#include "engine/supervisor/move_into_place.h"

namespace lockstep::supervisor {
namespace fs = std::filesystem;
namespace {

/// The newest answers stay for clients to read.
constexpr std::int64_t kMaxAnswerFiles = 64;
constexpr std::size_t kMaxPending = 256;

fs::path answerFile(const fs::path& folder, std::int64_t number) {
  return folder / (std::to_string(number) + ".json");
}

}  // namespace

WorkerRequests::WorkerRequests(SocketServer& server, Send send,
                               std::optional<run_folder::Layout> run)
    : server_(server),
      send_(std::move(send)),
      folder_(run_folder::answersFolder(server.path())),
      run_(std::move(run)) {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

WorkerRequests::~WorkerRequests() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void WorkerRequests::forward(
    Pending pending, const std::function<protocol::Action(const std::string& out)>& action) {
  const RequestToken& token = pending.token;
  if (pending_.size() >= kMaxPending) {
    const std::string reason =
        std::to_string(kMaxPending) + " requests are already pending: retry later";
    return server_.send(token, protocol::ErrorReply{token.id, reason});
  }
  std::error_code ignored;  // if it cannot be made, the worker fails to write its answer
  fs::create_directory(folder_, ignored);
  const protocol::Control control{std::to_string(nextNumber_), action(outFor(pending).string())};
  ++nextNumber_;
  pending_.emplace(control.id, std::move(pending));
  removeOldAnswers();
  send_(control);
}

fs::path WorkerRequests::outFor(const Pending& pending) const {
  return pending.split ? run_->partialPredictionsOfPart(nextNumber_)
                       : answerFile(folder_, nextNumber_);
}

void WorkerRequests::predict(const RequestToken& token, protocol::PredictRequest request) {
  Pending pending{token};
  if (run_ && request.split) {
    pending.step = run_folder::stepOfWeights(*run_, request.weights);
    // Of other weights they are no part of the run.
    if (pending.step || request.weights.empty()) pending.split = request.split;
  }
  forward(std::move(pending), [&](const std::string& out) {
    return protocol::Predict{std::move(request), out};
  });
}

void WorkerRequests::explain(const RequestToken& token, protocol::ExplainRequest request) {
  forward({token}, [&](const std::string& out) {
    return protocol::Explain{std::move(request), out};
  });
}

void WorkerRequests::cancel(const RequestToken& token) {
  for (const auto& [number, pending] : pending_)
    if (pending.token.client == token.client && pending.token.id == token.id)
      return send_({number, protocol::Cancel()});
  server_.send(token, protocol::ErrorReply{token.id, "no request of yours with this id waits"});
}

void WorkerRequests::cancelAllOf(std::int64_t client) {
  for (const auto& [number, pending] : pending_)
    if (pending.token.client == client) send_({number, protocol::Cancel()});
}

void WorkerRequests::tell(const protocol::Progress& progress) {
  const auto found = pending_.find(progress.id);
  if (found == pending_.end()) return;
  const RequestToken& token = found->second.token;
  server_.send(token, protocol::RequestProgress{token.id, progress.done, progress.total});
}

void WorkerRequests::evaluate(const RequestToken& token) {
  forward({token}, [](const std::string& out) { return protocol::Evaluate{out}; });
}

void WorkerRequests::saveCheckpoint(const RequestToken& token) {
  forward({token}, [](const std::string&) { return protocol::SaveCheckpoint(); });
}

void WorkerRequests::answer(const protocol::Answer& answer) {
  const auto found = pending_.find(answer.id);
  if (found == pending_.end()) return;
  const Pending pending = std::move(found->second);
  pending_.erase(found);
  const RequestToken& token = pending.token;
  if (!answer.error.empty())
    return server_.send(token, protocol::ErrorReply{token.id, answer.error});
  try {
    server_.send(token, protocol::Ok{token.id, protocol::AnswerPath{kept(pending, answer)}});
  } catch (const Error& error) {
    server_.send(token, protocol::ErrorReply{token.id, error.what()});
  }
}

std::string WorkerRequests::kept(const Pending& pending, const protocol::Answer& answer) const {
  if (!pending.split) return answer.path;
  const fs::path target = run_->predictionsOfPart(pending.step.value_or(answer.step),
                                                  std::string(base::textOf(*pending.split)));
  moveIntoPlace(answer.path, target);
  return target.string();
}

void WorkerRequests::failAll(const std::string& reason) {
  for (const auto& [number, pending] : pending_)
    server_.send(pending.token, protocol::ErrorReply{pending.token.id, reason});
  pending_.clear();
}

void WorkerRequests::removeOldAnswers() {
  std::error_code ignored;
  if (nextNumber_ > kMaxAnswerFiles)
    fs::remove(answerFile(folder_, nextNumber_ - 1 - kMaxAnswerFiles), ignored);
}

}  // namespace lockstep::supervisor
