#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "engine/dist/world.h"

namespace lockstep::dist {

/// PeerMonitor over a c10d store. It has its own thread and its own connection to the store: a call
/// to a machine that cannot be reached blocks.
class StoreMonitor : public PeerMonitor {
 public:
  /// `monitored`: ranks on other machines whose heartbeats are read.
  StoreMonitor(c10::intrusive_ptr<c10d::Store> store, int rank, std::vector<int> monitored);
  ~StoreMonitor() override;

  void publish(const std::string& status) override;
  void publishExit(const std::string& reason) override;
  std::optional<LostPeer> lostPeer() const override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Peer {
    std::string beat, status, exitReason;
    Clock::time_point lastHeartbeat;
  };
  void run(std::stop_token stop);
  void exchange(std::int64_t beat);
  void read(int rank);

  c10::intrusive_ptr<c10d::Store> store_;
  int rank_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string status_, exitReason_;  ///< under mutex_
  bool isExitReasonSent_ = false;    ///< under mutex_
  std::map<int, Peer> peers_;        ///< under mutex_
  std::jthread thread_;              ///< last: starts when the other members exist
};

}  // namespace lockstep::dist
