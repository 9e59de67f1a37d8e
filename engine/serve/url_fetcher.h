#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/supervisor/poll_loop.h"

namespace lockstep::serve {

/// Fetches images below allowed addresses with libcurl, in the thread of the loop. Redirects are
/// not followed: they would lead anywhere.
class UrlFetcher {
 public:
  struct Result {
    std::string content;
    std::string error{};  ///< empty: the content is whole
  };
  using Done = std::function<void(Result)>;
  using FetchId = std::uint64_t;

  /// `prefixes`: `https://images.example.com/plates/`. Throws UserError for one that is no http or
  /// https address, or has a query.
  UrlFetcher(supervisor::PollLoop& loop, const std::vector<std::string>& prefixes,
             std::size_t mostBytes, std::chrono::seconds patience);
  UrlFetcher(const UrlFetcher&) = delete;
  UrlFetcher& operator=(const UrlFetcher&) = delete;
  ~UrlFetcher();

  /// Reason not to fetch an address, with the address; empty: it has the scheme, host and port of a
  /// prefix, and is below its path.
  std::string refusal(const std::string& url) const;
  FetchId fetch(const std::string& url, Done done);
  /// Nobody waits for it any more.
  void cancel(FetchId fetch);
  std::size_t count() const { return transfers_.size(); }

 private:
  struct Address;
  struct Transfer;
  struct Callbacks;  ///< of libcurl

  static std::optional<Address> addressOf(const std::string& url);
  void drive(int socket, int events);
  void finishDone();

  supervisor::PollLoop& loop_;
  std::vector<Address> prefixes_;
  std::size_t mostBytes_;
  std::chrono::seconds patience_;
  void* multi_ = nullptr;
  std::map<FetchId, std::unique_ptr<Transfer>> transfers_;
  std::optional<supervisor::PollLoop::TimerId> timer_;
  FetchId next_ = 1;
};

}  // namespace lockstep::serve
