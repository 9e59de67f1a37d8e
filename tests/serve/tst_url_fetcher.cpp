#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <QTest>
#include <atomic>
#include <functional>
#include <optional>
#include <semaphore>
#include <thread>

#include "engine/serve/http_server.h"
#include "engine/serve/url_fetcher.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using serve::HttpRequest;
using serve::HttpResponse;
using serve::UrlFetcher;
using tests::contains;

namespace {

/// What addresses lead to, in the loop of the fetcher.
class Site : private serve::HttpService {
 public:
  explicit Site(supervisor::PollLoop& loop) : server_(loop, "127.0.0.1", 0, {}, *this) {}
  std::string address(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(server_.port()) + path;
  }
  int port() const { return server_.port(); }
  const std::vector<std::string>& paths() const { return paths_; }
  std::function<void()> whenAsked = [] {};

 private:
  std::optional<HttpResponse> refusal(const HttpRequest&) override { return std::nullopt; }
  void handle(RequestId id, HttpRequest request) override {
    paths_.push_back(request.path);
    whenAsked();
    HttpResponse response{.body = "image"};
    if (request.path == "/plates/moved")
      response = {.status = 302, .headers = {{"Location", address("/secret")}}};
    if (request.path == "/plates/missing") response.status = 404;
    if (request.path == "/plates/large") response.body.assign(2000, 'x');
    if (request.path != "/plates/silent") server_.respond(id, std::move(response));
  }

  serve::HttpServer server_;
  std::vector<std::string> paths_;
};

constexpr const char* kSilentName = "silent.example.com";

/// A name server that says nothing of kSilentName until it is told to, or for too long.
struct SilentNameServer {
  std::atomic<bool> isAsked = false;
  std::binary_semaphore mayAnswer{0};
};
SilentNameServer silentNameServer;

bool isConnectedTo(int fd, int port) {
  sockaddr_in peer{};
  socklen_t length = sizeof peer;
  return ::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &length) == 0 &&
         peer.sin_family == AF_INET && ntohs(peer.sin_port) == port;
}

}  // namespace

/// In the place of the C library's, which it asks of all other names.
extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints,
                           addrinfo** found) {
  if (name != nullptr && std::string_view(name) == kSilentName) {
    silentNameServer.isAsked = true;
    silentNameServer.mayAnswer.try_acquire_for(std::chrono::seconds(5));
    silentNameServer.isAsked = false;
    return EAI_AGAIN;
  }
  static const auto real =
      reinterpret_cast<decltype(&getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  return real(name, service, hints, found);
}

class TstUrlFetcher : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void onlyWhatIsBelowAPrefixIsAllowed_data() {
    QTest::addColumn<QString>("url");
    QTest::addColumn<bool>("isAllowed");
    const auto row = [](const char* url, bool isAllowed) {
      QTest::newRow(url) << url << isAllowed;
    };
    row("https://images.example.com/plates/a.png", true);
    row("HTTPS://Images.Example.COM:443/plates/sub/a.png?size=1#x", true);
    row("https://images.example.com/plates/../plates/a.png", true);
    row("https://images.example.com/plates/%61.png", true);
    row("https://other.example.com/plain", true);
    row("https://other.example.com/plain/a", true);
    row("https://other.example.com/plainer", false);
    row("http://images.example.com/plates/a.png", false);
    row("https://images.example.com:8443/plates/a.png", false);
    row("https://images.example.com/a.png", false);
    row("https://images.example.com/platesA/a.png", false);
    row("https://images.example.com/plates/../a.png", false);
    row("https://images.example.com/plates/%2e%2e/a.png", false);
    row("https://images.example.com/plates/%2E./a.png", false);
    row("https://images.example.com/plates/..%2fa.png", false);
    row("https://images.example.com/plates/..%5Ca.png", false);
    row("https://images.example.com/plates/..\\a.png", false);
    row("https://images.example.com/plates/..;/a.png", false);
    row("https://images.example.com/plates/..;x=y/a.png", false);
    row("https://images.example.com/plates/.;/a.png", false);
    row("https://images.example.com/plates/..%3b/a.png", false);
    row("https://images.example.com/plates/%252e%252e/a.png", false);
    row("https://images.example.com/plates/..%252Fa.png", false);
    row("https://images.example.com/plates/%25252525252e./a.png", false);
    row("https://images.example.com/plates/%u002e./a.png", false);
    row("https://images.example.com/plates/%c0%ae%c0%ae/a.png", false);
    row("https://images.example.com/plates/a%0d%0aX:y.png", false);
    row("https://images.example.com/plates/a%00.png", false);
    row("https://images.example.com/plates/100%25;v=1/%C3%BC..;.png", true);
    row("https://images.example.com.evil.com/plates/a.png", false);
    row("https://images.example.com@evil.com/plates/a.png", false);
    row("https://user@images.example.com/plates/a.png", false);
    row("https://user:word@images.example.com/plates/a.png", false);
    row("https://:word@images.example.com/plates/a.png", false);
    row("file:///plates/a.png", false);
    row("ftp://images.example.com/plates/a.png", false);
    row("//images.example.com/plates/a.png", false);
    row("/plates/a.png", false);
    row("", false);
  }
  void onlyWhatIsBelowAPrefixIsAllowed() {
    QFETCH(QString, url);
    QFETCH(bool, isAllowed);
    supervisor::PollLoop loop;
    const UrlFetcher fetcher(
        loop, {"https://images.example.com/plates/", "https://other.example.com/plain"}, 1000,
        std::chrono::seconds(1));
    const std::string refusal = fetcher.refusal(url.toStdString());
    QVERIFY2(refusal.empty() == isAllowed, refusal.c_str());
  }

  void whyAnAddressIsRefusedIsSaid() {
    supervisor::PollLoop loop;
    const UrlFetcher fetcher(loop, {"https://images.example.com/plates/"}, 1000,
                             std::chrono::seconds(1));
    const auto refusal = [&](const std::string& path) {
      return fetcher.refusal("https://images.example.com" + path);
    };
    QVERIFY(contains(refusal("/a.png"), "/a.png is not below one of --allow-urls"));
    QVERIFY(contains(refusal("/plates/..;/a.png"), "..;/a.png may lead elsewhere"));
    QVERIFY(contains(fetcher.refusal("ftp://x/a.png"), "is not an http or https address"));
  }

  void whatIsThereIsFetched_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("content");
    QTest::addColumn<QString>("error");
    QTest::newRow("image") << "/plates/a.png"
                           << "image"
                           << "";
    QTest::newRow("moved") << "/plates/moved"
                           << ""
                           << "redirects elsewhere";
    QTest::newRow("missing") << "/plates/missing"
                             << ""
                             << "status 404";
    QTest::newRow("large") << "/plates/large"
                           << ""
                           << "larger than 1000 bytes";
    QTest::newRow("silent") << "/plates/silent"
                            << ""
                            << "Timeout";
  }
  void whatIsThereIsFetched() {
    QFETCH(QString, path);
    QFETCH(QString, content);
    QFETCH(QString, error);
    supervisor::PollLoop loop;
    Site site(loop);
    UrlFetcher fetcher(loop, {site.address("/plates/")}, 1000, std::chrono::seconds(1));
    UrlFetcher::Result fetched;
    fetcher.fetch(site.address(path.toStdString()), [&](UrlFetcher::Result result) {
      fetched = std::move(result);
      loop.stop();
    });
    QCOMPARE(fetcher.count(), std::size_t{1});
    loop.run();
    QCOMPARE(fetcher.count(), std::size_t{0});
    QVERIFY2(
        contains(fetched.error, error.toStdString()) && fetched.error.empty() == error.isEmpty(),
        fetched.error.c_str());
    if (error.isEmpty()) QCOMPARE(fetched.content, content.toStdString());
    QCOMPARE(site.paths(), std::vector<std::string>{path.toStdString()});  // and nothing else
  }

  void noProgramInheritsAConnection() {
    supervisor::PollLoop loop;
    Site site(loop);
    UrlFetcher fetcher(loop, {site.address("/plates/")}, 1000, std::chrono::seconds(1));
    int connections = 0, inherited = 0;
    site.whenAsked = [&] {
      for (int fd = 0; fd < 1024; ++fd) {
        if (!isConnectedTo(fd, site.port())) continue;
        ++connections;
        inherited += (::fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0;
      }
    };
    fetcher.fetch(site.address("/plates/a.png"), [&](UrlFetcher::Result) { loop.stop(); });
    loop.run();
    QCOMPARE(connections, 1);
    QCOMPARE(inherited, 0);
  }

  void nobodyThereIsSaid() {
    supervisor::PollLoop loop;
    std::string address;
    {
      Site gone(loop);
      address = gone.address("/a");
    }
    supervisor::PollLoop own;
    UrlFetcher fetcher(own, {address}, 1000, std::chrono::seconds(1));
    std::string error;
    fetcher.fetch(address, [&](UrlFetcher::Result result) {
      error = result.error;
      own.stop();
    });
    own.run();
    QVERIFY2(contains(error, "connect"), error.c_str());
  }

  void whatIsCancelledIsNotHeardOf() {
    supervisor::PollLoop loop;
    Site site(loop);
    UrlFetcher fetcher(loop, {site.address("/plates/")}, 1000, std::chrono::seconds(1));
    bool isHeardOf = false;
    const auto silent = fetcher.fetch(site.address("/plates/silent"),
                                      [&](UrlFetcher::Result) { isHeardOf = true; });
    fetcher.fetch(site.address("/plates/a"), [&](UrlFetcher::Result) {
      fetcher.cancel(silent);  // from within another's end
      loop.stop();
    });
    loop.run();
    QVERIFY(!isHeardOf);
    QCOMPARE(fetcher.count(), std::size_t{0});
  }

  void aNameThatNobodyResolvesIsNotWaitedFor() {
    supervisor::PollLoop loop;
    const std::string address = std::string("http://") + kSilentName + "/";
    UrlFetcher fetcher(loop, {address}, 1000, std::chrono::seconds(60));
    const auto fetch = fetcher.fetch(address + "a.png", [](const UrlFetcher::Result&) {});
    loop.every(std::chrono::milliseconds(5), [&] {
      if (silentNameServer.isAsked) loop.stop();
    });
    loop.run();
    fetcher.cancel(fetch);
    const bool wasWaitedFor = !silentNameServer.isAsked;
    silentNameServer.mayAnswer.release();
    QVERIFY(!wasWaitedFor);
    QVERIFY(QTest::qWaitFor([] { return !silentNameServer.isAsked; }));
  }
};

LOCKSTEP_TEST(TstUrlFetcher)
#include "tst_url_fetcher.moc"
