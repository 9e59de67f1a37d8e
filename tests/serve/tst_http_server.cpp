#include <QElapsedTimer>
#include <QTest>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "engine/base/error.h"
#include "engine/serve/http_server.h"
#include "tests/serve/http_client.h"
#include "tests/support/contains.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using serve::HttpLimits;
using serve::HttpRequest;
using serve::HttpResponse;
using tests::contains;
using tests::HttpClient;
using tests::HttpReply;
using tests::postHead;

namespace {

constexpr HttpLimits kSmall{.bodyBytes = 1000,
                            .bodiesBytes = 1500,
                            .connections = 300,
                            .idle = std::chrono::seconds(1),
                            .receiving = std::chrono::seconds(1),
                            .sending = std::chrono::seconds(1)};

/// A server in a thread of its own that answers with the body: `/later` after the next `/now` or
/// `/drain`, `/large` with 64 MiB, the others at once. `/stop` ends it.
class EchoServer : private serve::HttpService {
 public:
  explicit EchoServer(const HttpLimits& limits = kSmall)
      : server_(loop_, "127.0.0.1", 0, limits, *this), thread_([this] { loop_.run(); }) {}
  ~EchoServer() override {
    if (!isStopped_) HttpClient(port()).send("GET /stop HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  int port() const { return server_.port(); }
  /// Waits for the end of what `/drain` began.
  void join() {
    thread_.join();
    isStopped_ = true;
  }

 private:
  std::optional<HttpResponse> refusal(const HttpRequest& head) override {
    if (head.path == "/refused") return serve::errorResponse(403, "no");
    return std::nullopt;
  }
  void handle(RequestId id, HttpRequest request) override {
    if (request.path == "/later") {
      later_ = id;
      return;
    }
    if (request.path == "/stop") loop_.stop();
    if (request.path == "/now") server_.respond(later_, {.body = "late"});
    if (request.path == "/drain") {
      server_.stopListening();
      loop_.after(std::chrono::milliseconds(50), [this] {
        server_.respond(later_, {.body = "late"});
        loop_.every(std::chrono::milliseconds(10), [this] {
          if (server_.isIdle()) loop_.stop();
        });
      });
    }
    if (request.path == "/large") request.body.assign(std::size_t{64} << 20, 'x');
    server_.respond(id, {.type = "text/plain", .body = std::move(request.body)});
  }

  supervisor::PollLoop loop_;
  serve::HttpServer server_;
  RequestId later_ = 0;
  bool isStopped_ = false;
  std::jthread thread_;
};

std::string chunk(const std::string& text) {
  std::array<char, 16> size;
  std::snprintf(size.data(), size.size(), "%zx\r\n", text.size());
  return size.data() + text + "\r\n";
}

constexpr const char* kChunkedHead =
    "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";

}  // namespace

class TstHttpServer : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theBodyIsWhatWasSent() {
    EchoServer server;
    HttpClient client(server.port());
    const std::string bytes("a\0b\r\n\r\nc", 8);
    QCOMPARE(client.post("/echo", "text/plain", bytes).body, bytes);
    client.send(kChunkedHead + chunk("one ") + chunk("two") + "0\r\n\r\n");
    QCOMPARE(client.reply().body, std::string("one two"));
    client.send(postHead("/echo", "text/plain", 3) + "Expect: 100-continue\r\n\r\nabc");
    QCOMPARE(client.reply().body, std::string("abc"));
  }

  void requestsInOneGoAreAnsweredInOrder() {
    EchoServer server;
    HttpClient client(server.port());
    client.send(postHead("/echo", "a/b", 3) + "\r\none" + postHead("/echo", "a/b", 3) + "\r\ntwo");
    QCOMPARE(client.reply().body, std::string("one"));
    QCOMPARE(client.reply().body, std::string("two"));
  }

  void aLengthBeyondTheLimitIsRefusedBeforeTheBody() {
    EchoServer server;
    HttpClient client(server.port());
    client.send(postHead("/echo", "a/b", 1'000'000'000) + "\r\n");
    const HttpReply reply = client.reply();
    QCOMPARE(reply.status, 413);
    QVERIFY2(contains(reply.body, "larger than 1000 bytes"), reply.body.c_str());
  }

  void chunksBeyondTheLimitAreRefused() {
    EchoServer server;
    HttpClient client(server.port());
    client.send(kChunkedHead);
    for (int i = 0; i < 20; ++i) client.send(chunk(std::string(100, 'x')));
    client.send("0\r\n\r\n");
    QCOMPARE(client.reply().status, 413);
    QVERIFY(client.isClosed());
    QCOMPARE(HttpClient(server.port()).post("/echo", "a/b", std::string(1000, 'x')).status, 200);
  }

  void bodiesThatAreReadTogetherAreLimited() {
    EchoServer server;
    HttpClient first(server.port()), second(server.port());
    first.send(postHead("/echo", "a/b", 900) + "\r\n" + std::string(800, 'x'));
    HttpClient(server.port()).get("/echo");  // the server has read what came before
    second.send(postHead("/echo", "a/b", 900) + "\r\n" + std::string(900, 'x'));
    const HttpReply refused = second.reply();
    QCOMPARE(refused.status, 503);
    QCOMPARE(refused.headers.at("retry-after"), std::string("1"));
    first.send(std::string(100, 'x'));
    QCOMPARE(first.reply().status, 200);
    QCOMPARE(HttpClient(server.port()).post("/echo", "a/b", std::string(900, 'x')).status, 200);
  }

  void aRefusalNeedsNoBody() {
    EchoServer server;
    HttpClient client(server.port());
    QCOMPARE(client.get("/refused").status, 403);
    QCOMPARE(client.get("/refused").status, 403);  // and the connection goes on
    client.send(postHead("/refused", "a/b", 900) + "Expect: 100-continue\r\n\r\n");
    QCOMPARE(client.reply().status, 403);
  }

  void aRefusalReachesWhoSendsABody() {
    EchoServer server(HttpLimits{});
    HttpClient client(server.port());
    const std::string body(20'000'000, 'x');
    QCOMPARE(client.post("/refused", "a/b", body).status, 403);
    QCOMPARE(client.post("/refused", "a/b", body).status, 403);  // and the connection goes on
    client.send("POST /refused HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" +
                chunk(body) + "0\r\n\r\n");
    QCOMPARE(client.reply().status, 403);
  }

  void whatCannotBeReadIsRefusedOnce_data() {
    QTest::addColumn<std::string>("bytes");
    QTest::addColumn<int>("status");
    const std::string head = "POST /echo HTTP/1.1\r\nHost: x\r\n", large(100'000, 'a');
    QTest::newRow("no length") << head + "Content-Length: abc\r\n\r\nhello" << 400;
    QTest::newRow("two lengths") << head + "Content-Length: 1\r\nContent-Length: 5\r\n\r\nhello"
                                 << 400;
    QTest::newRow("a large length") << head + "Content-Length: 1001\r\n\r\nhello" << 413;
    QTest::newRow("no chunk") << head + "Transfer-Encoding: chunked\r\n\r\nzzz\r\n" << 400;
    QTest::newRow("no host") << std::string("GET /echo HTTP/1.1\r\n\r\n") << 400;
    QTest::newRow("TLS") << std::string("\x16\x03\x01\x02\x00\x01\x00", 7) << 400;
    QTest::newRow("an endless URL") << "GET /" + large << 414;
    QTest::newRow("an endless header") << head + "A: " + large << 431;
  }
  void whatCannotBeReadIsRefusedOnce() {
    QFETCH(std::string, bytes);
    QFETCH(int, status);
    EchoServer server;
    HttpClient client(server.port());
    client.send(bytes);
    const HttpReply reply = client.reply();
    QCOMPARE(reply.status, status);
    QCOMPARE(reply.headers.at("connection"), std::string("close"));
    QVERIFY2(reply.body.starts_with("{\"error\""), reply.body.c_str());
    QVERIFY(client.isClosed());  // without a second answer
  }

  void manyParametersAreRead() {
    EchoServer server;
    std::string query = "?";
    for (int i = 0; i < 400; ++i) query += "a" + std::to_string(i) + "=1&";
    QCOMPARE(HttpClient(server.port()).get("/echo" + query).status, 200);
  }

  void headsAreAnsweredWithoutABody() {
    EchoServer server;
    HttpClient client(server.port());
    client.send("HEAD /large HTTP/1.0\r\n\r\n");
    QVERIFY_THROWS_EXCEPTION(Error, client.reply());  // its length is that of the body
  }

  void aRefusalHasItsBodyAlsoAfterAHead() {
    EchoServer server;
    HttpClient client(server.port());
    client.send("HEAD /echo HTTP/1.1\r\nHost: x\r\n\r\n");
    QCOMPARE(client.reply().status, 200);
    client.send("\x16\x03\x01");
    const HttpReply reply = client.reply();
    QCOMPARE(reply.status, 400);
    QVERIFY2(contains(reply.body, "error"), reply.body.c_str());
  }

  void aBodyShorterThanItsLengthIsClosed() {
    EchoServer server;
    HttpClient client(server.port());
    client.send(postHead("/echo", "a/b", 900) + "\r\nshort");
    QVERIFY(client.isClosed());
    HttpClient dripping(server.port());  // a byte now and then is no use
    dripping.send(postHead("/echo", "a/b", 900) + "\r\n");
    QElapsedTimer clock;
    clock.start();
    while (!dripping.isReadable(50) && clock.elapsed() < 20000) dripping.send("x");
    QVERIFY(dripping.isClosed());
  }

  void headersThatNeverEndAreClosed() {
    EchoServer server;
    HttpClient silent(server.port()), half(server.port());
    half.send("GET /echo HTTP/1.1\r\nHost: ");
    QVERIFY(silent.isClosed());
    QVERIFY(half.isClosed());
  }

  void answersThatAreReadTogetherAreLimited() {
    HttpLimits one = kSmall;
    one.answersBytes = std::size_t{100} << 20;
    one.sending = one.idle = std::chrono::seconds(60);
    EchoServer server(one);
    {
      HttpClient slow(server.port());
      slow.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
      HttpClient(server.port()).get("/echo");  // what came before has arrived
      const HttpReply refused = HttpClient(server.port()).get("/large");
      QCOMPARE(refused.status, 503);
      QCOMPARE(refused.headers.at("retry-after"), std::string("1"));
      QCOMPARE(HttpClient(server.port()).post("/echo", "a/b", "small").status, 200);
    }
    QVERIFY(QTest::qWaitFor([&] { return HttpClient(server.port()).get("/large").status == 200; },
                            20000));
  }

  void aConnectionThatAsksNothingMakesRoomSooner() {
    HttpLimits patient = kSmall;
    patient.beforeAsking = std::chrono::seconds(1);
    patient.idle = std::chrono::seconds(60);
    EchoServer server(patient);
    HttpClient silent(server.port()), asked(server.port());
    QCOMPARE(asked.get("/echo").status, 200);
    QVERIFY(silent.isClosed());
    QCOMPARE(asked.get("/echo").status, 200);
  }

  void aRequestThatIsGivenUpLeavesNothing() {
    EchoServer server;
    HttpClient client(server.port());
    client.send("GET /echo?" + std::string(100'000, '&') + " HTTP/1.1\r\nHost: x\r\n\r\n");
    QCOMPARE(client.reply().status, 414);
    HttpClient(server.port()).get("/drain");
    server.join();  // once it is idle
  }

  void anAnswerThatNobodyReadsIsClosed() {
    HttpLimits one = kSmall;
    one.connections = 1;
    EchoServer server(one);
    HttpClient client(server.port());
    client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
    QVERIFY(client.isReadable(20000));
    QCOMPARE(HttpClient(server.port()).get("/echo").status, 200);  // there is room for it again
    QVERIFY_THROWS_EXCEPTION(Error, client.reply());
  }

  void twoHundredThousandHeadersAreRefused() {
    EchoServer server;
    HttpClient client(server.port());
    client.send("GET /echo HTTP/1.1\r\n");
    for (int i = 0; i < 200'000; ++i) client.send("X: y\r\n");
    client.send("\r\n");
    QCOMPARE(client.reply().status, 431);
    QVERIFY(client.isClosed());
    QCOMPARE(HttpClient(server.port()).get("/echo").status, 200);
  }

  void slowClientsKeepNobodyElseBack() {
    HttpLimits patient = kSmall;
    patient.receiving = patient.idle = std::chrono::seconds(60);
    EchoServer server(patient);
    std::vector<std::unique_ptr<HttpClient>> slow;
    for (int i = 0; i < 200; ++i) {
      slow.push_back(std::make_unique<HttpClient>(server.port()));
      slow.back()->send(i % 2 ? "GET /ec" : postHead("/echo", "a/b", 5) + "\r\nab");
    }
    HttpClient client(server.port());
    QCOMPARE(client.get("/echo").status, 200);
    slow[0]->send("cde");
    QCOMPARE(slow[0]->reply().body, std::string("abcde"));
  }

  void moreConnectionsThanAllowedWait() {
    HttpLimits two = kSmall;
    two.connections = 2;
    two.idle = two.sending = two.reading = std::chrono::seconds(60);
    EchoServer server(two);
    std::vector<std::unique_ptr<HttpClient>> busy;
    for (int i = 0; i < 2; ++i) {
      busy.push_back(std::make_unique<HttpClient>(server.port()));
      busy.back()->send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
      QVERIFY(busy.back()->isReadable(20000));
    }
    HttpClient third(server.port());
    third.send("GET /echo HTTP/1.1\r\nHost: x\r\n\r\n");
    QVERIFY(!third.isReadable(100));
    QCOMPARE(busy[0]->reply().status, 200);
    QCOMPARE(third.reply().status, 200);  // once the first is idle
  }

  void whoReadsAnAnswerForLongestMakesRoom() {
    HttpLimits two = kSmall;
    two.connections = 2;
    two.idle = two.sending = std::chrono::seconds(60);
    two.reading = std::chrono::seconds(0);
    EchoServer server(two);
    HttpClient first(server.port());
    first.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
    QVERIFY(first.isReadable(20000));
    HttpClient second(server.port());
    second.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
    QVERIFY(second.isReadable(20000));
    QCOMPARE(HttpClient(server.port()).get("/echo").status, 200);
    QVERIFY_THROWS_EXCEPTION(Error, first.reply());
  }

  void aRequestThatNeverEndsMakesRoom() {
    HttpLimits few = kSmall;
    few.connections = 4;
    few.idle = few.beforeAsking = few.head = few.receiving = std::chrono::seconds(60);
    EchoServer server(few);
    std::vector<std::unique_ptr<HttpClient>> slow;
    for (int i = 0; i < 4; ++i) {
      slow.push_back(std::make_unique<HttpClient>(server.port()));
      slow.back()->send(postHead("/echo", "a/b", 3) + "Expect: 100-continue\r\n\r\n");
      QVERIFY(slow.back()->isReadable(20000));  // 100 Continue
    }
    QCOMPARE(HttpClient(server.port()).get("/echo").status, 200);
    QVERIFY_THROWS_EXCEPTION(Error, slow[0]->reply());  // it has been coming for longest
    slow[3]->send("abc");
    QCOMPARE(slow[3]->reply().body, std::string("abc"));
    for (int i = 0; i < 10; ++i) {
      slow.push_back(std::make_unique<HttpClient>(server.port()));
      slow.back()->send(i % 2 ? "GET /echo HTTP/1.1\r\nHost: x" : "POST /echo HTTP/1.1\r\nHo");
    }
    QCOMPARE(HttpClient(server.port()).get("/echo").status, 200);
  }

  void aHeadHasLessTimeThanABody() {
    HttpLimits patient = kSmall;
    patient.idle = patient.beforeAsking = patient.receiving = std::chrono::seconds(60);
    patient.head = std::chrono::seconds(1);
    EchoServer server(patient);
    HttpClient half(server.port()), body(server.port());
    body.send(postHead("/echo", "a/b", 3) + "\r\na");
    half.send("GET /echo HTTP/1.1\r\nHost: x");
    QVERIFY(half.isClosed());
    body.send("bc");
    QCOMPARE(body.reply().body, std::string("abc"));
  }

  void whoHasBeenIdleForLongestMakesRoom() {
    HttpLimits few = kSmall;
    few.connections = 4;
    few.idle = few.receiving = std::chrono::seconds(60);
    EchoServer server(few);
    HttpClient busy(server.port()), first(server.port()), second(server.port());
    busy.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n");
    QCOMPARE(first.get("/echo").status, 200);
    QCOMPARE(second.get("/echo").status, 200);
    HttpClient third(server.port()), fourth(server.port());
    QCOMPARE(third.get("/echo").status, 200);
    QCOMPARE(fourth.get("/echo").status, 200);
    QVERIFY(first.isClosed());
    QCOMPARE(second.get("/echo").status, 200);
    busy.send("abc");
    QCOMPARE(busy.reply().body, std::string("abc"));
    for (int i = 0; i < 20; ++i) QCOMPARE(HttpClient(server.port()).get("/echo").status, 200);
  }

  /// The server need not wait for anything else that wakes it.
  void roomIsMadeAtOnce() {
    HttpLimits few = kSmall;
    few.connections = 4;
    few.idle = std::chrono::seconds(60);
    EchoServer server(few);
    std::vector<std::unique_ptr<HttpClient>> all;
    QElapsedTimer clock;
    clock.start();
    for (int i = 0; i < 40; ++i) {
      all.push_back(std::make_unique<HttpClient>(server.port()));
      QCOMPARE(all.back()->get("/echo").status, 200);
    }
    QVERIFY2(clock.elapsed() < 10000, "each waited for a timer");
  }

  void anAnswerMayComeLaterOrNotAtAll() {
    HttpLimits strict = kSmall;
    strict.interval = std::chrono::milliseconds(0);  // also before an answer's first byte is sent
    EchoServer server(strict);
    HttpClient client(server.port());
    client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
    HttpClient(server.port()).get("/echo");  // what came before has arrived
    HttpClient silent(server.port());
    QVERIFY(silent.isClosed());      // after a time that no limit sets to an answer
    QVERIFY(!client.isReadable(0));  // which is still waited for
    QCOMPARE(HttpClient(server.port()).get("/now").status, 200);
    QCOMPARE(client.reply().body, std::string("late"));
    HttpClient(server.port()).send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");  // and is gone
    QCOMPARE(HttpClient(server.port()).get("/now").status, 200);
  }

  void drainingAnswersWhatWasAsked() {
    EchoServer server;
    HttpClient waiting(server.port()), client(server.port());
    waiting.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
    client.get("/echo");  // what came before has arrived
    QCOMPARE(client.get("/drain").headers.at("connection"), std::string("close"));
    QVERIFY_THROWS_EXCEPTION(Error, HttpClient(server.port()).get("/echo"));
    const HttpReply late = waiting.reply();
    QCOMPARE(late.body, std::string("late"));
    QCOMPARE(late.headers.at("connection"), std::string("close"));
    server.join();
  }

  void anAddressThatIsNoneIsRefused() {
    supervisor::PollLoop loop;
    struct : serve::HttpService {
      std::optional<HttpResponse> refusal(const HttpRequest&) override { return std::nullopt; }
      void handle(RequestId, HttpRequest) override {}
    } service;
    const std::string why =
        tests::messageOf([&] { serve::HttpServer(loop, "localhost:80", 0, kSmall, service); });
    QVERIFY2(contains(why, "--bind localhost:80") && contains(why, "127.0.0.1"), why.c_str());
  }
};

LOCKSTEP_TEST(TstHttpServer)
#include "tst_http_server.moc"
