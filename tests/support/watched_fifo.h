#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

namespace lockstep::tests {

/// A FIFO that nothing may read. Opening one blocks until somebody writes: this does, so that a
/// test that opens it fails instead of hanging.
class WatchedFifo {
 public:
  explicit WatchedFifo(std::string path) : path_(std::move(path)) {
    ::mkfifo(path_.c_str(), 0600);
    writer_ = std::thread([this] {
      for (;;) {
        const int file = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);  // waits for a reader
        if (file >= 0) ::close(file);
        if (isDone_ || file < 0) return;
        ++reads_;
      }
    });
  }
  ~WatchedFifo() {
    isDone_ = true;
    const int file = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    writer_.join();
    ::close(file);
  }
  WatchedFifo(const WatchedFifo&) = delete;
  WatchedFifo& operator=(const WatchedFifo&) = delete;

  const std::string& path() const { return path_; }
  /// An image that Qt would read the FIFO for, as text of a file.
  std::string image() const { return "<img src=\"" + path_ + "\">"; }
  /// The same without a slash, for tags and names of files.
  std::string imageWithoutSlash() const {
    std::string text = "<img src=";
    for (const char character : path_) character == '/' ? text += "&#47;" : text += character;
    return text + ">";
  }
  bool wasRead() const { return reads_ > 0; }

 private:
  std::string path_;
  std::thread writer_;
  std::atomic<bool> isDone_ = false;
  std::atomic<int> reads_ = 0;
};

}  // namespace lockstep::tests
