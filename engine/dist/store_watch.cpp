#include "engine/dist/store_watch.h"

#include <exception>
#include <utility>

namespace lockstep::dist {
namespace {

constexpr std::chrono::seconds kInterval{1};
constexpr std::chrono::seconds kLastWordPatience{2};

std::vector<std::uint8_t> bytesOf(const std::string& text) { return {text.begin(), text.end()}; }

std::string standingKey(int rank) { return "standing/" + std::to_string(rank); }
std::string lastWordKey(int rank) { return "last_word/" + std::to_string(rank); }

std::string textAt(c10d::Store& store, const std::string& key) {
  const auto bytes = store.get(key);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

StoreWatch::StoreWatch(c10::intrusive_ptr<c10d::Store> store, int rank, std::vector<int> watched)
    : store_(std::move(store)), rank_(rank) {
  for (const int peer : watched) peers_[peer].heard = Clock::now();
  thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
}

StoreWatch::~StoreWatch() {
  thread_.request_stop();
  changed_.notify_all();
}

void StoreWatch::say(const std::string& standing) {
  const std::lock_guard lock(mutex_);
  standing_ = standing;
}

void StoreWatch::sayLast(const std::string& word) {
  std::unique_lock lock(mutex_);
  lastWord_ = word;
  changed_.notify_all();
  changed_.wait_for(lock, kLastWordPatience, [this] { return isLastWordOut_; });
}

std::optional<PeerWatch::Loss> StoreWatch::loss() const {
  const std::lock_guard lock(mutex_);
  for (const auto& [rank, peer] : peers_) {
    const double silent = std::chrono::duration<double>(Clock::now() - peer.heard).count();
    if (!peer.lastWord.empty() || silent > kSilenceSeconds)
      return Loss{rank, peer.standing, peer.lastWord, silent};
  }
  return std::nullopt;
}

void StoreWatch::run(std::stop_token stop) {
  for (std::int64_t beat = 0; !stop.stop_requested(); ++beat) {
    try {
      exchange(beat);
    } catch (const std::exception&) {
      // Rank 0's store does not answer: what was not heard shows as silence.
    }
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, kInterval,
                      [this] { return !lastWord_.empty() && !isLastWordOut_; });
  }
}

void StoreWatch::exchange(std::int64_t beat) {
  std::string standing, lastWord;
  std::vector<int> watched;
  {
    const std::lock_guard lock(mutex_);
    standing = standing_;
    lastWord = isLastWordOut_ ? "" : lastWord_;
    for (const auto& [rank, peer] : peers_) watched.push_back(rank);
  }
  if (!lastWord.empty()) {
    store_->set(lastWordKey(rank_), bytesOf(lastWord));
    const std::lock_guard lock(mutex_);
    isLastWordOut_ = true;
    changed_.notify_all();
  }
  // The number makes every beat another text.
  store_->set(standingKey(rank_), bytesOf(std::to_string(beat) + " " + standing));
  for (const int rank : watched) read(rank);
}

void StoreWatch::read(int rank) {
  std::string beat, lastWord;
  if (store_->check({standingKey(rank)})) beat = textAt(*store_, standingKey(rank));
  if (store_->check({lastWordKey(rank)})) lastWord = textAt(*store_, lastWordKey(rank));
  const std::lock_guard lock(mutex_);
  Peer& peer = peers_[rank];
  peer.lastWord = lastWord;
  if (beat == peer.beat) return;
  peer.beat = beat;
  peer.standing = beat.substr(beat.find(' ') + 1);
  peer.heard = Clock::now();
}

}  // namespace lockstep::dist
