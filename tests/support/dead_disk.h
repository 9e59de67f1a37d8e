#pragma once

#include <QByteArray>
#include <QString>
#include <QTemporaryDir>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace lockstep::tests {

/// A disk with one folder of files to be read, which stops answering and answers again: a file
/// system in user space, whose calls hang as those of a network disk whose server is gone. Needs
/// the right to mount.
class DeadDisk {
 public:
  using Files = std::map<std::string, std::string>;  ///< contents by name
  /// It answers at first. Not there where it may not be mounted.
  explicit DeadDisk(Files files = {});
  ~DeadDisk();
  DeadDisk(const DeadDisk&) = delete;
  DeadDisk& operator=(const DeadDisk&) = delete;

  bool isThere() const { return isMounted_; }
  QString path(const char* name = nullptr) const;
  /// Every call hangs from now on.
  void stop();
  /// Those that hang are answered, and all later ones.
  void revive();

 private:
  void serve();
  void handle(const char* request);
  void reply(std::uint64_t unique, int error, const void* data = nullptr, std::size_t bytes = 0);
  const std::string* contentOf(std::uint64_t node) const;

  QTemporaryDir folder_;
  Files files_;
  int device_ = -1;
  bool isMounted_ = false;
  std::mutex mutex_;  ///< guards isStopped_, isEnding_
  std::condition_variable changed_;
  bool isStopped_ = false, isEnding_ = false;
  std::thread server_;
};

}  // namespace lockstep::tests
