#include "engine/supervisor/client_connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/events/event_record.h"
#include "engine/protocol/json_text.h"

namespace lockstep::supervisor {
namespace {

/// A client that asks and asks and never reads its answers is dropped here.
constexpr std::size_t kMaxQueueBytes = 8 << 20;
/// Most records read in one iteration of the loop.
constexpr int kRecordsPerTurn = 2000;

/// The line is a message of another version of the protocol: the client's later messages are, too.
bool isOtherVersion(const std::string& line) {
  const auto json = protocol::parseJson(line);
  return json.is_object() && json.contains("v") && json["v"] != protocol::kVersion;
}

}  // namespace

std::vector<ClientConnection::Received> ClientConnection::receive() {
  std::vector<Received> received;
  std::array<char, 64 << 10> bytes;
  const ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count == 0) inputEnded_ = true;  // it may still read (`attach` at the end of its input)
  if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) broken_ = true;
  if (count <= 0) return received;

  incoming_.append({bytes.data(), static_cast<std::size_t>(count)});
  std::string line;
  while (!closing_) {
    const auto result = incoming_.next(line);
    if (result == protocol::LineBuffer::Result::NeedMore) break;
    if (result == protocol::LineBuffer::Result::TooLong) {
      received.push_back({std::nullopt, tooLongReply()});
    } else {
      received.push_back(decode(line));
    }
  }
  return received;
}

ClientConnection::Received ClientConnection::decode(const std::string& line) {
  try {
    return {protocol::decodeClientMessage(line), {}};
  } catch (const Error& error) {
    closing_ = isOtherVersion(line);
    return {std::nullopt, {protocol::requestIdOf(line), error.what()}};
  }
}

void ClientConnection::send(const protocol::EngineMessage& message) {
  if (!broken_) add(protocol::encode(message));
}

void ClientConnection::add(std::string line) {
  outgoing_.add(std::move(line));
  if (outgoing_.bytes() > kMaxQueueBytes) broken_ = true;
}

void ClientConnection::follow(const std::filesystem::path& eventFile, std::int64_t since) {
  lastSeq_ = since;
  records_.reset();
  if (!eventFile.empty()) records_.emplace(eventFile);
  morePending_ = records_.has_value();
}

void ClientConnection::pump(const std::deque<protocol::Event>& pending) {
  if (!records_ || broken_) return;
  morePending_ = true;
  for (int i = 0; i < kRecordsPerTurn && hasRoom(); ++i) {
    auto record = records_->next();
    if (!record) return pumpPending(pending);
    if (record->seq <= lastSeq_) continue;
    lastSeq_ = record->seq;
    if (const auto event = events::eventOf(*std::move(record))) add(protocol::lineOf(*event));
  }
}

void ClientConnection::pumpPending(const std::deque<protocol::Event>& pending) {
  const std::int64_t held = pending.empty() ? 0 : lastSeq_ - protocol::seqOf(pending.front()) + 1;
  for (auto i = static_cast<std::size_t>(std::max<std::int64_t>(held, 0)); i < pending.size();
       ++i) {
    if (!hasRoom()) return;
    lastSeq_ = protocol::seqOf(pending[i]);
    add(protocol::lineOf(pending[i]));
  }
  morePending_ = false;
}

bool ClientConnection::canPump() const { return morePending_ && !broken_ && hasRoom(); }

void ClientConnection::closeWhenSent() {
  closing_ = true;
  records_.reset();
  morePending_ = false;
}

void ClientConnection::flush() {
  if (!outgoing_.flush(socket_.get())) broken_ = true;
}

}  // namespace lockstep::supervisor
