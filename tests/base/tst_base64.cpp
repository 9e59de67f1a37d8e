#include <QByteArray>
#include <QTest>

#include "engine/base/base64.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;

class TstBase64 : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void textsEqualQts() {
    QByteArray bytes;
    for (int length = 0; length < 300; ++length) {
      const std::string text = base::encodeBase64(bytes.toStdString());
      QCOMPARE(text, bytes.toBase64().toStdString());
      QCOMPARE(base::decodeBase64(text), bytes.toStdString());
      bytes.append(static_cast<char>(length * 37 + 11));
    }
  }

  void linesAndMissingPaddingAreRead() {
    QCOMPARE(base::decodeBase64("TG9j\r\na3N0\n ZXA\n"), std::string("Lockstep"));
    QCOMPARE(base::decodeBase64("QQ==\r\n"), std::string("A"));
  }

  void theUrlSafeAlphabetIsRead() {
    QCOMPARE(base::decodeBase64("-_-_"), base::decodeBase64("+/+/"));
  }

  void otherCharactersAreRefused() {
    for (const char* text : {"TG9j!", "TG9=ja", "TG9j\xc3\xa4"})
      QCOMPARE(tests::messageOf([&] { base::decodeBase64(text); }), std::string("is not base64"));
  }
};

LOCKSTEP_TEST(TstBase64)
#include "tst_base64.moc"
