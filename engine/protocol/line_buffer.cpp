#include <algorithm>

#include "engine/protocol/messages.h"

namespace lockstep::protocol {

void LineBuffer::append(std::string_view bytes) {
  if (begin_ > 0 && begin_ >= buffer_.size() / 2) {
    buffer_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
  }
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const bool isWhole = end != std::string_view::npos;
    if (!dropping_) store(bytes.substr(0, end));
    if (isWhole) {
      if (!dropping_) buffer_ += '\n';
      dropping_ = false;
      tailBytes_ = 0;
    }
    bytes.remove_prefix(isWhole ? end + 1 : bytes.size());
  }
}

/// Stores at most one byte over the limit of a line, so that next() detects that it is too long.
void LineBuffer::store(std::string_view bytes) {
  const std::size_t kept = std::min(bytes.size(), kMaxLineBytes + 1 - tailBytes_);
  buffer_.append(bytes.substr(0, kept));
  tailBytes_ += kept;
}

LineBuffer::Result LineBuffer::next(std::string& line) {
  const std::size_t end = buffer_.find('\n', std::max(scanned_, begin_));
  if (end == std::string::npos) {
    scanned_ = buffer_.size();
    if (tailBytes_ <= kMaxLineBytes) return Result::NeedMore;
    buffer_.resize(begin_);
    scanned_ = begin_;
    tailBytes_ = 0;
    dropping_ = true;
    return Result::TooLong;
  }
  const std::size_t length = end - begin_;
  if (length <= kMaxLineBytes) line.assign(buffer_, begin_, length);
  begin_ = end + 1;
  scanned_ = begin_;
  return length <= kMaxLineBytes ? Result::Line : Result::TooLong;
}

}  // namespace lockstep::protocol
