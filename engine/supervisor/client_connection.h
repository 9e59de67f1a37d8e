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

/// One connected client. It gets past and live records alike from the event file, as fast as it
/// reads them: there is no seam between the two, and a slow client costs no memory. Records that
/// the disk refuses come from the supervisor's memory. Never blocks.
class ClientConnection {
 public:
  ClientConnection(base::FileDescriptor socket, std::int64_t number)
      : socket_(std::move(socket)), number_(number) {}

  std::int64_t number() const { return number_; }

  /// Reads what has come. Every line is a message, or the error to answer with.
  struct Received {
    std::optional<protocol::ClientMessage> message;
    protocol::ErrorReply error;
  };
  std::vector<Received> receive();

  void send(const protocol::EngineMessage& message);
  /// Begins the stream of records after `since` out of `eventFile`.
  void follow(const std::filesystem::path& eventFile, std::int64_t since);
  bool isFollowing() const { return records_.has_value(); }
  /// The last record that it has.
  std::int64_t lastSeq() const { return lastSeq_; }
  /// Queues some of the records that it does not have yet, while there is room: from the event
  /// file, and at its end from `waiting`.
  void pump(const std::deque<protocol::Event>& waiting);
  /// Whether pump() may have more to do at once.
  bool canPump() const;
  void flush();

  bool wantsToRead() const { return !inputEnded_ && !closing_; }
  bool wantsToWrite() const { return !outgoing_.isEmpty(); }
  /// Everything known was sent to it.
  bool isCaughtUp() const { return outgoing_.isEmpty() && !morePending_; }
  /// It is gone, or has to be dropped: it broke the protocol or reads no answers.
  bool isBroken() const { return broken_ || (closing_ && outgoing_.isEmpty()); }
  void markBroken() { broken_ = true; }
  /// Reads nothing more and queues no more records: what is queued is sent, then it is broken.
  void closeWhenSent();

 private:
  Received decode(const std::string& line);
  bool hasRoom() const { return outgoing_.bytes() < kFullQueueBytes; }
  void pumpWaiting(const std::deque<protocol::Event>& waiting);
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
  bool closing_ = false;  ///< nothing more is read; what waits is sent first
  bool broken_ = false;
};

}  // namespace lockstep::supervisor
