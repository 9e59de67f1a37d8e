#include "engine/supervisor/worker_requests.h"

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

WorkerRequests::WorkerRequests(SocketServer& server, Send send)
    : server_(server), send_(std::move(send)), folder_(run_folder::answersFolder(server.path())) {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

WorkerRequests::~WorkerRequests() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void WorkerRequests::forward(
    const RequestToken& token,
    const std::function<protocol::Action(const std::string& out)>& action) {
  if (pending_.size() >= kMaxPending) {
    const std::string reason =
        std::to_string(kMaxPending) + " requests are already pending: retry later";
    return server_.send(token, protocol::ErrorReply{token.id, reason});
  }
  std::error_code ignored;  // if it cannot be made, the worker fails to write its answer
  fs::create_directory(folder_, ignored);
  const protocol::Control control{std::to_string(nextNumber_),
                                  action(answerFile(folder_, nextNumber_).string())};
  ++nextNumber_;
  pending_[control.id] = token;
  removeOldAnswers();
  send_(control);
}

void WorkerRequests::predict(const RequestToken& token, protocol::PredictRequest request) {
  forward(token, [&](const std::string& out) {
    return protocol::Predict{std::move(request), out};
  });
}

void WorkerRequests::evaluate(const RequestToken& token) {
  forward(token, [](const std::string& out) { return protocol::Evaluate{out}; });
}

void WorkerRequests::saveCheckpoint(const RequestToken& token) {
  forward(token, [](const std::string&) { return protocol::SaveCheckpoint(); });
}

void WorkerRequests::answer(const protocol::Answer& answer) {
  const auto found = pending_.find(answer.id);
  if (found == pending_.end()) return;
  const RequestToken token = found->second;
  pending_.erase(found);
  if (!answer.error.empty())
    return server_.send(token, protocol::ErrorReply{token.id, answer.error});
  server_.send(token, protocol::Ok{token.id, protocol::AnswerPath{answer.path}});
}

void WorkerRequests::failAll(const std::string& reason) {
  for (const auto& [number, token] : pending_)
    server_.send(token, protocol::ErrorReply{token.id, reason});
  pending_.clear();
}

void WorkerRequests::removeOldAnswers() {
  std::error_code ignored;
  if (nextNumber_ > kMaxAnswerFiles)
    fs::remove(answerFile(folder_, nextNumber_ - 1 - kMaxAnswerFiles), ignored);
}

}  // namespace lockstep::supervisor
