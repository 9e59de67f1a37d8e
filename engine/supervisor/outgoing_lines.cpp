#include "engine/supervisor/outgoing_lines.h"

#include <sys/socket.h>

#include <cerrno>

namespace lockstep::supervisor {

void OutgoingLines::add(std::string line) {
  line += '\n';
  bytes_ += line.size();
  // Short lines share a block, so that one send(2) takes many.
  constexpr std::size_t kBlockBytes = 64 << 10;
  if (!lines_.empty() && lines_.back().size() + line.size() <= kBlockBytes) {
    lines_.back() += line;
  } else {
    lines_.push_back(std::move(line));
  }
}

bool OutgoingLines::flush(int fd) {
  while (!lines_.empty()) {
    const std::string& first = lines_.front();
    const ssize_t sent = ::send(fd, first.data() + sentOfFirst_, first.size() - sentOfFirst_,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN || errno == EWOULDBLOCK;
    }
    bytes_ -= static_cast<std::size_t>(sent);
    sentOfFirst_ += static_cast<std::size_t>(sent);
    if (sentOfFirst_ < first.size()) return true;
    lines_.pop_front();
    sentOfFirst_ = 0;
  }
  return true;
}

}  // namespace lockstep::supervisor
