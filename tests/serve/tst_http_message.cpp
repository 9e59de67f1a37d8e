#include <QTest>

#include "engine/serve/http_message.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using serve::headerParameter;
using serve::HttpRequest;

class TstHttpMessage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void parametersOfAHeader() {
    const std::string header = R"(Form-Data; name="a \"b\"; c"; FileName=x.png ;empty=;last="q)";
    QCOMPARE(headerParameter(header, "name").value(), std::string("a \"b\"; c"));
    QCOMPARE(headerParameter(header, "filename").value(), std::string("x.png"));
    QCOMPARE(headerParameter(header, "empty").value(), std::string());
    QCOMPARE(headerParameter(header, "last").value(), std::string("q"));
    QVERIFY(!headerParameter(header, "form-data"));
    QCOMPARE(headerParameter("; trace7; score=0.5", "score").value(), std::string("0.5"));
    QCOMPARE(headerParameter("image/png;x;q=0.1", "q").value(), std::string("0.1"));
    QVERIFY(!headerParameter("", "a") && !headerParameter(";", "a") &&
            !headerParameter("a;b", "b"));
  }

  void aRequestIsAskedForItsHeadersAndParameters() {
    const HttpRequest request{.method = "POST",
                              .path = "/",
                              .query = {{"score", "0.1"}, {"score", "0.2"}},
                              .headers = {{"content-type", " Image/PNG ; q=1"}, {"accept", "a"}}};
    QCOMPARE(std::string(request.header("accept")), std::string("a"));
    QVERIFY(request.header("host").empty());
    QCOMPARE(std::string(request.parameter("score").value()), std::string("0.2"));
    QVERIFY(!request.parameter("classes"));
    QCOMPARE(request.mediaType(), std::string("image/png"));
  }

  void codesOfAnAddressAreBytes() {
    QCOMPARE(serve::unescaped("a%20b%C3%bc%2B+"), std::string("a b\xc3\xbc++"));
    for (const char* text : {"%", "%4", "%zz", "100%", "%-1", "% 41"})
      QCOMPARE(serve::unescaped(text), std::string(text));
  }

  void anErrorIsOneLineOfJson() {
    const serve::HttpResponse response = serve::errorResponse(400, "a \"b\"\n\xff");
    QCOMPARE(response.status, 400);
    QVERIFY2(response.body.starts_with(R"({"error":"a \"b\"\n)") ||
                 response.body.starts_with(R"({"error": "a \"b\"\n)"),
             response.body.c_str());
    QCOMPARE(response.body.find('\n'), response.body.size() - 1);
  }
};

LOCKSTEP_TEST(TstHttpMessage)
#include "tst_http_message.moc"
