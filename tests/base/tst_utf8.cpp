#include <QTest>

#include "engine/base/utf8.h"
#include "tests/support/test_main.h"

using namespace lockstep;

class TstUtf8 : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void onlyWholeCharactersAreUtf8_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("isUtf8");
    QTest::newRow("nothing") << QByteArray() << true;
    QTest::newRow("one to four bytes")
        << QByteArray("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82") << true;
    QTest::newRow("Latin-1") << QByteArray("t\xfcr.png") << false;
    QTest::newRow("cut off") << QByteArray("a\xe2\x82") << false;
    QTest::newRow("overlong") << QByteArray("\xc0\xaf") << false;
    QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << false;
    QTest::newRow("past the last character") << QByteArray("\xf4\x90\x80\x80") << false;
  }
  void onlyWholeCharactersAreUtf8() {
    QFETCH(QByteArray, text);
    QTEST(base::isUtf8(text.toStdString()), "isUtf8");
  }
  void charactersAreCountedNotBytes() {
    QCOMPARE(base::utf8Length("a\xc3\xa4\xe2\x82\xac"), std::size_t{3});
  }
  void onlyAsciiLettersBecomeLowerCase() {
    QCOMPARE(base::lowerCase(".JPeG\xc3\x84"), std::string(".jpeg\xc3\x84"));
  }
};

LOCKSTEP_TEST(TstUtf8)
#include "tst_utf8.moc"
