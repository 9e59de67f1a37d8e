#include "engine/serve/url_fetcher.h"

#include <curl/curl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/shortened_text.h"
#include "engine/base/utf8.h"
#include "engine/serve/http_message.h"

namespace lockstep::serve {
namespace {

constexpr long kMostConnections = 16;  // more wait; each holds an image in memory
constexpr long kMostOfOneHost = 8;     // so that a slow one leaves some to the others
constexpr long kSilentSeconds = 10;

/// True if a server might find a `..` or a slash in the path that a comparison misses: escaped,
/// also twice or in invalid ways, or before the `;` of a parameter.
bool hidesSteps(std::string path) {
  constexpr int kMaxEscapes = 4;
  for (int i = 0; i < kMaxEscapes; ++i) {
    path = base::lowerCase(path);
    for (const char* hidden : {"%2e", "%2f", "%5c", "\\", "%u00", "%c0%", "%c1%", "/..;", "/.;"})
      if (path.find(hidden) != std::string::npos) return true;
    if (std::ranges::any_of(path, [](unsigned char each) { return each < 0x20; })) return true;
    std::string plain = unescaped(path);
    if (plain == path) return false;
    path = std::move(plain);
  }
  return true;
}

}  // namespace

struct UrlFetcher::Address {
  std::string scheme, host, port, path;
};

struct UrlFetcher::Transfer {
  FetchId id = 0;
  CURL* easy = nullptr;
  std::string content;
  std::size_t mostBytes = 0;
  bool isTooLarge = false;
  Done done;

  ~Transfer() { curl_easy_cleanup(easy); }
};

struct UrlFetcher::Callbacks {
  static std::size_t write(char* data, std::size_t size, std::size_t count, void* transfer) {
    auto& own = *static_cast<Transfer*>(transfer);
    if (own.content.size() + size * count > own.mostBytes) {
      own.isTooLarge = true;
      return 0;
    }
    own.content.append(data, size * count);
    return size * count;
  }

  /// No worker that is started meanwhile inherits it.
  static curl_socket_t openSocket(void*, curlsocktype, curl_sockaddr* address) {
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  }

  static int watchSocket(CURL*, curl_socket_t socket, int what, void* fetcher, void*) {
    auto& self = *static_cast<UrlFetcher*>(fetcher);
    self.loop_.unwatch(socket);
    if (what == CURL_POLL_REMOVE) return 0;
    const auto wanted = static_cast<short>(((what & CURL_POLL_IN) != 0 ? POLLIN : 0) |
                                           ((what & CURL_POLL_OUT) != 0 ? POLLOUT : 0));
    self.loop_.watch(
        socket, [wanted] { return wanted; },
        [&self, socket](short events) {
          int bits = 0;
          if ((events & (POLLIN | POLLHUP)) != 0) bits |= CURL_CSELECT_IN;
          if ((events & POLLOUT) != 0) bits |= CURL_CSELECT_OUT;
          if ((events & POLLERR) != 0) bits |= CURL_CSELECT_ERR;
          self.drive(socket, bits);
        });
    return 0;
  }

  static int setTimer(CURLM*, long milliseconds, void* fetcher) {
    auto& self = *static_cast<UrlFetcher*>(fetcher);
    if (self.timer_) self.loop_.cancel(*std::exchange(self.timer_, std::nullopt));
    if (milliseconds < 0) return 0;
    self.timer_ = self.loop_.after(std::chrono::milliseconds(milliseconds), [&self] {
      self.timer_.reset();
      self.drive(CURL_SOCKET_TIMEOUT, 0);
    });
    return 0;
  }
};

UrlFetcher::UrlFetcher(supervisor::PollLoop& loop, const std::vector<std::string>& prefixes,
                       std::size_t mostBytes, std::chrono::seconds patience)
    : loop_(loop), mostBytes_(mostBytes), patience_(patience) {
  for (const std::string& prefix : prefixes) {
    const auto address = addressOf(prefix);
    if (!address)
      throw UserError("--allow-urls " + prefix +
                      ": must be an http or https address, such as https://HOST/FOLDER/");
    if (prefix.find_first_of("?#") != std::string::npos)
      throw UserError("--allow-urls " + prefix +
                      ": give it without ? and #; addresses are compared up to their path");
    prefixes_.push_back(*address);
  }
  curl_global_init(CURL_GLOBAL_DEFAULT);
  multi_ = curl_multi_init();
  curl_multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, kMostConnections);
  curl_multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, kMostOfOneHost);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &Callbacks::watchSocket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &Callbacks::setTimer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
}

UrlFetcher::~UrlFetcher() {
  for (const auto& [id, transfer] : transfers_) curl_multi_remove_handle(multi_, transfer->easy);
  transfers_.clear();
  curl_multi_cleanup(multi_);
  if (timer_) loop_.cancel(*timer_);
}

/// With `.` and `..` resolved; nullopt: no address of these schemes, or one with a user.
std::optional<UrlFetcher::Address> UrlFetcher::addressOf(const std::string& url) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parsed(curl_url(), &curl_url_cleanup);
  if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return std::nullopt;
  const auto part = [&](CURLUPart which) {
    char* text = nullptr;
    if (curl_url_get(parsed.get(), which, &text, CURLU_DEFAULT_PORT) != CURLUE_OK)
      return std::string();
    std::string copy(text);
    curl_free(text);
    return copy;
  };
  Address address{part(CURLUPART_SCHEME), part(CURLUPART_HOST), part(CURLUPART_PORT),
                  part(CURLUPART_PATH)};
  const bool isHttp = address.scheme == "http" || address.scheme == "https";
  const bool hasUser = !part(CURLUPART_USER).empty() || !part(CURLUPART_PASSWORD).empty();
  if (!isHttp || address.host.empty() || hasUser) return std::nullopt;
  address.host = base::lowerCase(address.host);
  return address;
}

std::string UrlFetcher::refusal(const std::string& url) const {
  const std::string named = "the address " + base::shortened(url);
  const auto address = addressOf(url);
  if (!address) return named + " is not an http or https address without a user";
  if (hidesSteps(address->path))
    return named + " may lead elsewhere: its path has an escaped dot or slash, or ..;";
  const bool isBelowOne = std::ranges::any_of(prefixes_, [&](const Address& prefix) {
    const bool isBelow =
        address->path.starts_with(prefix.path) &&
        (prefix.path.ends_with('/') || address->path.size() == prefix.path.size() ||
         address->path[prefix.path.size()] == '/');
    return isBelow && address->scheme == prefix.scheme && address->host == prefix.host &&
           address->port == prefix.port;
  });
  return isBelowOne ? "" : named + " is not below one of --allow-urls";
}

UrlFetcher::FetchId UrlFetcher::fetch(const std::string& url, Done done) {
  auto transfer = std::make_unique<Transfer>();
  transfer->id = next_++;
  transfer->easy = curl_easy_init();
  transfer->mostBytes = mostBytes_;
  transfer->done = std::move(done);
  CURL* easy = transfer->easy;
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);  // a resolver is not waited for
  curl_easy_setopt(easy, CURLOPT_TIMEOUT, static_cast<long>(patience_.count()));
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, kSilentSeconds);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);  // bytes per second
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, kSilentSeconds);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "lockstep/" LOCKSTEP_VERSION);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &Callbacks::openSocket);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Callbacks::write);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer.get());
  curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer.get());
  const FetchId id = transfer->id;
  transfers_[id] = std::move(transfer);
  curl_multi_add_handle(multi_, easy);
  return id;
}

void UrlFetcher::cancel(FetchId id) {
  const auto found = transfers_.find(id);
  if (found == transfers_.end()) return;
  curl_multi_remove_handle(multi_, found->second->easy);
  transfers_.erase(found);
}

void UrlFetcher::drive(int socket, int events) {
  int running = 0;
  curl_multi_socket_action(multi_, socket, events, &running);
  finishDone();
}

void UrlFetcher::finishDone() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    CURL* const easy = message->easy_handle;
    Transfer* own = nullptr;
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &own);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_multi_remove_handle(multi_, easy);
    const auto transfer = std::move(transfers_.extract(own->id).mapped());
    Result result{std::move(transfer->content)};
    if (transfer->isTooLarge) {
      result.error = "is larger than " + std::to_string(mostBytes_) + " bytes";
    } else if (code != CURLE_OK) {
      result.error = curl_easy_strerror(code);
    } else if (status >= 300 && status < 400) {
      result.error = "redirects elsewhere, which is not followed";
    } else if (status != 200) {
      result.error = "is answered with status " + std::to_string(status);
    }
    transfer->done(std::move(result));
  }
}

}  // namespace lockstep::serve
