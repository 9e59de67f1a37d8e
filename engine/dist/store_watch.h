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

/// PeerWatch over a store. It has a thread and a connection of its own: a call to a machine that is
/// cut off blocks.
class StoreWatch : public PeerWatch {
 public:
  /// `watched`: ranks on other machines whose words are read.
  StoreWatch(c10::intrusive_ptr<c10d::Store> store, int rank, std::vector<int> watched);
  ~StoreWatch() override;

  void say(const std::string& standing) override;
  void sayLast(const std::string& word) override;
  std::optional<Loss> loss() const override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Peer {
    std::string beat, standing, lastWord;
    Clock::time_point heard;
  };
  void run(std::stop_token stop);
  void exchange(std::int64_t beat);
  void read(int rank);

  c10::intrusive_ptr<c10d::Store> store_;
  int rank_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string standing_, lastWord_;  ///< under mutex_
  bool isLastWordOut_ = false;       ///< under mutex_
  std::map<int, Peer> peers_;        ///< under mutex_
  std::jthread thread_;              ///< last: starts when the rest is there
};

}  // namespace lockstep::dist
