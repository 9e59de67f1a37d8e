#pragma once

#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>
#include <vector>

namespace lockstep::base {

/// Removes files and folders when SIGINT, SIGTERM or SIGHUP ends the process while this exists.
/// Blocks these signals meanwhile, so it is to be made before other threads are.
class SignalCleanup {
 public:
  explicit SignalCleanup(std::vector<std::filesystem::path> paths);
  SignalCleanup(const SignalCleanup&) = delete;
  SignalCleanup& operator=(const SignalCleanup&) = delete;
  ~SignalCleanup();

 private:
  void wait();

  std::vector<std::filesystem::path> paths_;
  sigset_t signals_{}, before_{};
  std::atomic<bool> isEnding_ = false;
  std::thread thread_;  ///< last: starts when the other members exist
};

}  // namespace lockstep::base
