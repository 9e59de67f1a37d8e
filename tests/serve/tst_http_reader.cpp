#include <QTest>
#include <string>
#include <utility>
#include <vector>

#include "engine/serve/http_reader.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using serve::HttpReader;
using tests::contains;

namespace {

constexpr std::size_t kMaxHeadBytes = 300, kMaxBodyBytes = 20;

/// `GET /a q=1 host=x | body` of each request, or the status and message of its error.
std::vector<std::string> requestsIn(const std::string& bytes, std::size_t pieceBytes) {
  HttpReader reader(kMaxHeadBytes, kMaxBodyBytes);
  std::vector<std::string> all;
  std::string body;
  try {
    for (std::size_t at = 0; at < bytes.size(); at += pieceBytes) {
      reader.append(std::string_view(bytes).substr(at, pieceBytes));
      for (auto found = reader.next(); found != HttpReader::Found::Nothing; found = reader.next()) {
        if (found == HttpReader::Found::Body) body += reader.piece();
        if (found != HttpReader::Found::End) continue;
        const serve::HttpRequest& request = reader.head().request;
        std::string text = request.method + " " + request.path;
        for (const auto& [name, value] : request.query) text += " " + name + "=" + value;
        for (const auto& [name, value] : request.headers)
          if (name != "host") text += " " + name + ": " + value;
        all.push_back(text + (body.empty() ? "" : " | " + std::exchange(body, "")));
      }
    }
  } catch (const serve::HttpError& error) {
    all.push_back(std::to_string(error.status) + " " + error.message);
  }
  return all;
}

std::string get(const std::string& url, const std::string& headers = "") {
  return "GET " + url + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n";
}

std::string chunked(const std::string& chunks) {
  return "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks;
}

const std::string kChunkedRequest = "POST /a transfer-encoding: chunked";

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& each : texts) all += each + "\n";
  return all;
}

}  // namespace

class TstHttpReader : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void requestsAreRead_data() {
    QTest::addColumn<std::string>("bytes");
    QTest::addColumn<std::vector<std::string>>("requests");
    const auto row = [](const char* name, std::string bytes, std::vector<std::string> requests) {
      QTest::newRow(name) << std::move(bytes) << std::move(requests);
    };
    row("an address", get("/a%20b/%c3%bc%zz%4?x=1&y=a+b%2B&&z&x="),
        {"GET /a b/\xc3\xbc%zz%4 x=1 y=a b+ z= x="});
    row("headers", get("/", "ACCEPT:\t a, b \r\nEmpty:\r\n"), {"GET / accept: a, b empty: "});
    const std::string body("a\r\n\0b", 5);
    QTest::newRow("a body of any bytes")
        << "PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 005\r\n\r\n" + body + get("/b")
        << std::vector<std::string>{"PUT /a content-length: 005 | " + body, "GET /b"};
    row("empty lines before", "\r\n\r\n" + get("/a") + "\r\n" + get("/b"), {"GET /a", "GET /b"});
    row("chunks",
        chunked("3\r\na\r\n\r\nA;x=\"y\"\r\n0123456789\r\n0\r\nTrailer: z\r\n\r\n") + get("/b"),
        {kChunkedRequest + " | a\r\n0123456789", "GET /b"});
    row("no chunk", chunked("000\r\n\r\n"), {kChunkedRequest});
    row("HTTP/1.0", "GET /a HTTP/1.0\r\n\r\n", {"GET /a"});
  }
  void requestsAreRead() {
    QFETCH(std::string, bytes);
    QFETCH(std::vector<std::string>, requests);
    for (const std::size_t pieceBytes : {bytes.size(), std::size_t{1}, std::size_t{7}})
      QCOMPARE(joined(requestsIn(bytes, pieceBytes)), joined(requests));
  }

  void whatOthersMayReadDifferentlyIsRefused_data() {
    QTest::addColumn<std::string>("bytes");
    QTest::addColumn<std::string>("why");
    const auto row = [](const std::string& name, std::string bytes, const char* why) {
      QTest::newRow(name.c_str()) << std::move(bytes) << std::string(why);
    };
    row("TLS", std::string("\x16\x03\x01\x02\x00\x01", 6), "400 this is not an HTTP request");
    row("zeros", std::string(10, '\0'), "400 this is not an HTTP request");
    row("a word", "hello\r\n\r\n", "400 the first line");
    row("HTTP/0.9", "GET /\r\n", "400 the first line");
    row("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505 HTTP/2.0");
    row("another protocol", "GET / FTP/1.1\r\n", "400 the first line");
    row("a space in the URL", "GET /a b HTTP/1.1\r\n", "400 the URL must be a path");
    row("two spaces", "GET  / HTTP/1.1\r\n", "400 the URL must be a path");
    row("a whole URL", get("http://x/"), "400 the URL must be a path");
    row("NUL", get("/%00a"), "400 the URL contains a NUL byte");
    row("NUL in a parameter", get("/?a=%00"), "400 the URL contains a NUL byte");
    row("a line feed alone", "GET / HTTP/1.1\nHost: x\r\n\r\n", "400 a line of the request does");
    row("an empty line of a line feed", "GET / HTTP/1.1\r\nHost: x\r\n\n", "400 a line of the");
    row("a carriage return within", get("/", "A: b\rc\r\n"), "400 a line of the request has a");
    row("a space before the colon", get("/", "A : b\r\n"), "400 the header 'A : b' is not");
    row("a folded header", get("/", "A: b\r\n c\r\n"), "400 the header ' c' is not");
    row("no colon", get("/", "Abc\r\n"), "400 the header 'Abc' is not");
    row("no name", get("/", ": b\r\n"), "400 the header ': b' is not");
    row("no host", "GET / HTTP/1.1\r\n\r\n", "400 a request must have one Host header");
    row("two hosts", get("/", "Host: x\r\n"), "400 a request must have one Host header");
    row("two hosts of HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
        "400 a request must have one Host header");
    for (const char* host : {"a b", "a,b", "a/b", "a@b"})
      row("host " + std::string(host), "GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n",
          "400 Host: is no");
    for (const char* length : {"", "x", "-1", "+5", "5, 5", "0x5", "5 5", "1e3"})
      row("length " + std::string(length),
          get("/", "Content-Length: " + std::string(length) + "\r\n"), "400 Content-Length: '");
    for (const char* lengths :
         {"Content-Length: 1\r\nContent-Length: 5\r\n",
          "Content-Length: 5\r\nContent-Length: 5\r\n",
          "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n",
          "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: identity\r\n",
          "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"})
      row(lengths, get("/", lengths), "400 give one Content-Length");
    row("chunks of HTTP/1.0", "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
        "400 give one Content-Length");
    row("a large body", get("/", "Content-Length: 21\r\n"), "413 the body is larger than 20 bytes");
    row("the largest body", get("/", "Content-Length: 99999999999999999999\r\n"), "413 the body");
    row("large chunks", chunked("a\r\n0123456789\r\nb\r\n"), "413 the body is larger");
    row("the largest chunk", chunked("ffffffffffffffffff\r\n"), "413 the body is larger");
    for (const char* size : {"", "zz", "-1", "0x5", " 5", "5 "})
      row("chunk " + std::string(size), chunked(std::string(size) + "\r\n"),
          "400 the size of a chunk");
    row("a chunk longer than its size", chunked("1\r\nab\r\n"), "400 a chunk of the body");
    row("a long line of a chunk", chunked("1;" + std::string(300, 'x')), "400 a line of the chunk");
    row("long trailers", chunked("0\r\nA: " + std::string(300, 'x')), "400 a line of the chunk");
    for (const char* trailer : {"GET / HTTP/1.1", " a: b", "A : b", ": b"})
      row("trailer " + std::string(trailer), chunked("0\r\n" + std::string(trailer) + "\r\n\r\n"),
          "400 the header '");
    row("an endless URL", "GET /" + std::string(400, 'a'), "414 the URL is longer than 300 bytes");
    row("an endless method", std::string(400, 'A'), "414 the URL is longer than 300 bytes");
    row("an endless header", "GET / HTTP/1.1\r\nA: " + std::string(400, 'a'),
        "431 the headers are longer than 300 bytes");
    std::string headers;
    for (int i = 0; i < 100; ++i) headers += "A: b\r\n";
    row("endless headers", get("/", headers), "431 the headers are longer than 300 bytes");
  }
  void whatOthersMayReadDifferentlyIsRefused() {
    QFETCH(std::string, bytes);
    QFETCH(std::string, why);
    for (const std::size_t pieceBytes : {bytes.size(), std::size_t{1}}) {
      const auto all = requestsIn(bytes, pieceBytes);
      QVERIFY2(all.size() == 1 && all[0].starts_with(why), joined(all).c_str());
    }
  }

  void headersAndParametersAreLimited() {
    const auto statusOf = [](const std::string& bytes) {
      HttpReader reader(32 << 10, 0);
      reader.append(bytes);
      try {
        return reader.next() == HttpReader::Found::Head ? 200 : 0;
      } catch (const serve::HttpError& error) {
        return error.status;
      }
    };
    std::string headers, parameters = "/?";
    for (int i = 0; i < 199; ++i) headers += "A: b\r\n";  // and the host
    for (int i = 0; i < 1000; ++i) parameters += "&a";
    QCOMPARE(statusOf(get("/", headers)), 200);
    QCOMPARE(statusOf(get("/", headers + "A: b\r\n")), 431);
    QCOMPARE(statusOf(get(parameters)), 200);
    QCOMPARE(statusOf(get(parameters + "&a")), 414);
  }

  void aConnectionStaysOpenAsItsClientSays_data() {
    QTest::addColumn<QByteArray>("head");
    QTest::addColumn<bool>("isKeptAlive");
    QTest::newRow("1.1") << QByteArray("GET / HTTP/1.1\r\nHost: x\r\n") << true;
    QTest::newRow("1.1 close") << QByteArray(
                                      "GET / HTTP/1.1\r\nHost: x\r\nConnection: TE, Close\r\n")
                               << false;
    QTest::newRow("1.0") << QByteArray("GET / HTTP/1.0\r\n") << false;
    QTest::newRow("1.0 keep-alive")
        << QByteArray("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n") << true;
  }
  void aConnectionStaysOpenAsItsClientSays() {
    QFETCH(QByteArray, head);
    QFETCH(bool, isKeptAlive);
    HttpReader reader(kMaxHeadBytes, kMaxBodyBytes);
    reader.append(head.toStdString() + "\r\n");
    QVERIFY(reader.next() == HttpReader::Found::Head);
    QCOMPARE(reader.head().isKeptAlive(), isKeptAlive);
  }
};

LOCKSTEP_TEST(TstHttpReader)
#include "tst_http_reader.moc"
