#include "engine/worker/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "engine/base/error.h"

namespace lockstep::worker {

void Channel::send(const protocol::WorkerMessage& message) {
  const auto* batch = std::get_if<protocol::ScalarBatch>(&message);
  if (batch == nullptr) return sendLine(protocol::encode(message) + "\n");
  for (protocol::ScalarBatch& part : protocol::splitBatch(*batch))
    sendLine(protocol::encode(protocol::WorkerMessage(std::move(part))) + "\n");
}

void Channel::sendLine(const std::string& line) {
  const std::lock_guard lock(sendMutex_);
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t count = ::send(fd_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;
    sent += static_cast<std::size_t>(count);
  }
}

std::optional<protocol::SupervisorMessage> Channel::receive(int timeoutMs) {
  std::string line;
  while (!closed_) {
    switch (received_.next(line)) {
      case protocol::LineBuffer::Result::Line:
        return protocol::decodeSupervisorMessage(line);
      case protocol::LineBuffer::Result::TooLong:
        throw Error("message from the supervisor: line is longer than 1 MiB");
      case protocol::LineBuffer::Result::NeedMore:
        break;
    }
    pollfd waited{fd_, POLLIN, 0};
    const int ready = ::poll(&waited, 1, timeoutMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return std::nullopt;
    char bytes[65536];
    const ssize_t count = ::read(fd_, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      closed_ = true;
    } else {
      received_.append({bytes, static_cast<std::size_t>(count)});
    }
  }
  return std::nullopt;
}

}  // namespace lockstep::worker
