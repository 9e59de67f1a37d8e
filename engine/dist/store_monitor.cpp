#include "engine/dist/store_monitor.h"

#include <exception>
#include <utility>

namespace lockstep::dist {
namespace {

constexpr std::chrono::seconds kInterval{1};
constexpr std::chrono::seconds kExitReasonTimeout{4};

std::vector<std::uint8_t> bytesOf(const std::string& text) { return {text.begin(), text.end()}; }

std::string statusKey(int rank) { return "standing/" + std::to_string(rank); }
std::string exitReasonKey(int rank) { return "last_word/" + std::to_string(rank); }

std::string textAt(c10d::Store& store, const std::string& key) {
  const auto bytes = store.get(key);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

StoreMonitor::StoreMonitor(c10::intrusive_ptr<c10d::Store> store, int rank,
                           std::vector<int> monitored)
    : store_(std::move(store)), rank_(rank) {
  for (const int peer : monitored) peers_[peer].lastHeartbeat = Clock::now();
  thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
}

StoreMonitor::~StoreMonitor() {
  thread_.request_stop();
  changed_.notify_all();
}

void StoreMonitor::publish(const std::string& status) {
  const std::lock_guard lock(mutex_);
  status_ = status;
}

void StoreMonitor::publishExit(const std::string& reason) {
  std::unique_lock lock(mutex_);
  exitReason_ = reason;
  changed_.notify_all();
  changed_.wait_for(lock, kExitReasonTimeout, [this] { return isExitReasonSent_; });
}

std::optional<PeerMonitor::LostPeer> StoreMonitor::lostPeer() const {
  const std::lock_guard lock(mutex_);
  for (const auto& [rank, peer] : peers_) {
    const double silence = std::chrono::duration<double>(Clock::now() - peer.lastHeartbeat).count();
    if (!peer.exitReason.empty() || silence > kTimeoutSeconds)
      return LostPeer{rank, peer.status, peer.exitReason, silence};
  }
  return std::nullopt;
}

void StoreMonitor::run(std::stop_token stop) {
  for (std::int64_t beat = 0; !stop.stop_requested(); ++beat) {
    try {
      exchange(beat);
    } catch (const std::exception&) {
      // Rank 0's store does not answer: the peers' heartbeats time out.
    }
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, kInterval,
                      [this] { return !exitReason_.empty() && !isExitReasonSent_; });
  }
}

void StoreMonitor::exchange(std::int64_t beat) {
  std::string status, exitReason;
  std::vector<int> monitored;
  {
    const std::lock_guard lock(mutex_);
    status = status_;
    exitReason = isExitReasonSent_ ? "" : exitReason_;
    for (const auto& [rank, peer] : peers_) monitored.push_back(rank);
  }
  if (!exitReason.empty()) {
    store_->set(exitReasonKey(rank_), bytesOf(exitReason));
    const std::lock_guard lock(mutex_);
    isExitReasonSent_ = true;
    changed_.notify_all();
  }
  // With its number every heartbeat differs from the one before, even if the status is the same.
  store_->set(statusKey(rank_), bytesOf(std::to_string(beat) + " " + status));
  for (const int rank : monitored) read(rank);
}

void StoreMonitor::read(int rank) {
  std::string beat, exitReason;
  if (store_->check({statusKey(rank)})) beat = textAt(*store_, statusKey(rank));
  if (store_->check({exitReasonKey(rank)})) exitReason = textAt(*store_, exitReasonKey(rank));
  const std::lock_guard lock(mutex_);
  Peer& peer = peers_[rank];
  peer.exitReason = exitReason;
  if (beat == peer.beat) return;
  peer.beat = beat;
  peer.status = beat.substr(beat.find(' ') + 1);
  peer.lastHeartbeat = Clock::now();
}

}  // namespace lockstep::dist
