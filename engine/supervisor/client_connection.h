#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/file_descriptor.h"
#include "engine/events/reader.h"
#include "engine/protocol/messages.h"
#include "engine/supervisor/outgoing_lines.h"

namespace lockstep::supervisor {

/// One connected client. Past and live records are both read from the event file at the client's
/// speed, so a slow client costs no memory; records not yet written come from the supervisor's
/// memory. Never blocks.
class ClientConnection {
 public:
  ClientConnection(base::FileDescriptor socket, std::int64_t number)
      : socket_(std::move(socket)), number_(number) {}

  std::int64_t number() const { return number_; }

  /// Reads available messages. Every line is a message, or the error to answer with.
  struct Received {
    std::optional<protocol::ClientMessage> message;
    protocol::ErrorReply error;
  };
  std::vector<Received> receive();
  /// The answer to a line that is too long to be read.
  static protocol::ErrorReply tooLongReply() {
    return {"", "a line is longer than 1 MiB: it was dropped"};
  }

  void send(const protocol::EngineMessage& message);
  /// Starts streaming the records after `since` from `eventFile`.
  void follow(const std::filesystem::path& eventFile, std::int64_t since);
  bool isFollowing() const { return records_.has_value(); }
  /// The last record that it has.
  std::int64_t lastSeq() const { return lastSeq_; }
  /// Queues some of the records that it does not have yet, while the queue has room: from the event
  /// file, and at its end from `pending`.
  void pump(const std::deque<protocol::Event>& pending);
  /// Whether pump() may have more to do without waiting.
  bool canPump() const;
  void flush();

  bool wantsToRead() const { return !inputEnded_ && !closing_; }
  bool wantsToWrite() const { return !outgoing_.isEmpty(); }
  /// Everything known was sent to it.
  bool isCaughtUp() const { return outgoing_.isEmpty() && !morePending_; }
  /// Disconnected, or to be disconnected: it broke the protocol or does not read its answers.
  bool isBroken() const { return broken_ || (closing_ && outgoing_.isEmpty()); }
  void markBroken() { broken_ = true; }
  /// Reads nothing more and queues no more records: what is queued is sent, then it is broken.
  void closeWhenSent();

 private:
  Received decode(const std::string& line);
  bool hasRoom() const { return outgoing_.bytes() < kFullQueueBytes; }
  void pumpPending(const std::deque<protocol::Event>& pending);
  void add(std::string line);

  /// Records are added up to this much; the rest waits in the event file.
  static constexpr std::size_t kFullQueueBytes = 256 << 10;

  base::FileDescriptor socket_;
  std::int64_t number_;
  protocol::LineBuffer incoming_;
  OutgoingLines outgoing_;
  std::optional<events::Reader> records_;
  std::int64_t lastSeq_ = -1;
  bool morePending_ = false;
  bool inputEnded_ = false;
  bool closing_ = false;  ///< no more input; the queue is flushed, then closed
  bool broken_ = false;
};

}  // namespace lockstep::supervisor
