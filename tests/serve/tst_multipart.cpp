#include <QTest>

#include "engine/serve/http_message.h"
#include "engine/serve/multipart.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using serve::MultipartPart;
using serve::multipartParts;

namespace {

std::string refusalOf(const std::string& body, const std::string& boundary = "b",
                      std::size_t most = 10) {
  try {
    multipartParts(body, boundary, most);
  } catch (const serve::HttpError& error) {
    return std::to_string(error.status) + " " + error.message;
  }
  return {};
}

}  // namespace

class TstMultipart : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void partsHaveNamesAndTheirBytes() {
    const std::string picture("\r\n--bb\0--\n--b\r", 15);  // nearly boundaries
    const std::string body =
        "before\r\n--b\r\nContent-Disposition: form-data; name=\"one\"; filename=\"a;b.png\"\r\n"
        "Content-Type: image/png\r\n\r\n" +
        picture +
        "\r\n--b \r\nContent-Type: IMAGE/jpeg\r\n\r\n\r\n--b\r\ncontent-disposition: form-data; "
        "name=score\r\n\r\n0.5\r\n--b--\r\nafter";
    const std::vector<MultipartPart> parts = multipartParts(body, "b", 3);
    QCOMPARE(parts.size(), std::size_t{3});
    QCOMPARE(parts[0].name, std::string("one"));
    QVERIFY(parts[0].isFile && parts[1].isFile && !parts[2].isFile);
    QCOMPARE(std::string(parts[0].content), picture);
    QVERIFY(parts[1].content.empty());
    QCOMPARE(parts[2].name, std::string("score"));
    QCOMPARE(std::string(parts[2].content), std::string("0.5"));
  }

  void aFieldWhoseFileWasNotChosenIsNone() {
    const auto isFile = [](const std::string& content) {
      return multipartParts(
                 "--b\r\nContent-Disposition: form-data; name=a; filename=\"\"\r\n"
                 "Content-Type: application/octet-stream\r\n\r\n" +
                     content + "\r\n--b--",
                 "b", 1)[0]
          .isFile;
    };
    QVERIFY(!isFile(""));
    QVERIFY(isFile("x"));
  }

  void noPartsAreAllowed() { QVERIFY(multipartParts("--b--", "b", 3).empty()); }

  void everyBeginningOfABodyIsRefused() {
    const std::string body = "--b\r\nA: b\r\n\r\none\r\n--b\r\nC: d\r\n\r\ntwo\r\n--b--";
    QCOMPARE(multipartParts(body, "b", 3).size(), std::size_t{2});
    for (std::size_t length = 0; length < body.size(); ++length)
      QVERIFY2(refusalOf(body.substr(0, length)).starts_with("400 the multipart body "),
               std::to_string(length).c_str());
  }

  void whatIsTooMuchIsRefused() {
    std::string many;
    for (int i = 0; i < 11; ++i) many += "--b\r\nA: b\r\n\r\nx\r\n";
    QVERIFY(tests::contains(refusalOf(many + "--b--"), "too many parts"));
    QVERIFY(tests::contains(refusalOf("--b\r\nA: " + std::string(9000, 'x') + "\r\n\r\nx\r\n--b--"),
                            "without headers"));
    QVERIFY(tests::contains(refusalOf("--b--", ""), "no boundary"));
    QVERIFY(tests::contains(refusalOf("x", std::string(71, 'b')), "no boundary"));
  }
};

LOCKSTEP_TEST(TstMultipart)
#include "tst_multipart.moc"
