#include <QTemporaryDir>
#include <QTest>

#include "engine/base/atomic_file.h"
#include "engine/base/text_encoding.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace std::string_literals;
using tests::messageOf;

class TstTextEncoding : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void textsBecomeUtf8_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("encoding");
    QTest::addColumn<QString>("text");
    QTest::newRow("GBK") << QByteArray::fromHex("b9b7c2edc4f1") << QStringLiteral("GBK")
                         << QStringLiteral("狗马鸟");
    QTest::newRow("windows-1251") << QByteArray::fromHex("eaeef2") << QStringLiteral("windows-1251")
                                  << QStringLiteral("кот");
    QTest::newRow("Latin-1") << QByteArray::fromHex("e974e9") << QStringLiteral("ISO-8859-1")
                             << QStringLiteral("été");
    QTest::newRow("UTF-16") << QByteArray::fromHex("fffe3a04") << QStringLiteral("UTF-16LE")
                            << QStringLiteral("к");
    QTest::newRow("long") << QByteArray(10000, '\xe9') << QStringLiteral("ISO-8859-1")
                          << QString(10000, QChar(0xe9));
  }
  void textsBecomeUtf8() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, encoding);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(base::toUtf8(bytes.toStdString(), encoding.toStdString())),
             text);
  }

  void bytesThatAnEncodingDoesNotHaveAreNamed() {
    QCOMPARE(messageOf([] { base::toUtf8("dog\xff", "GBK"); }),
             "byte 4 is not GBK; save it as UTF-8"s);
    QCOMPARE(messageOf([] { base::toUtf8("dog", "klingon"); }),
             "its encoding, klingon, is not known here; save it as UTF-8"s);
  }

  void wideEncodingsAreKnownByTheirFirstBytes_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("encoding");
    QTest::newRow("UTF-8") << QByteArray("\xef\xbb\xbf{") << QString();
    QTest::newRow("ASCII") << QByteArray("{}") << QString();
    QTest::newRow("empty") << QByteArray() << QString();
    QTest::newRow("marked little") << QByteArray::fromHex("fffe7b00") << QStringLiteral("UTF-16LE");
    QTest::newRow("marked big") << QByteArray::fromHex("feff007b") << QStringLiteral("UTF-16BE");
    QTest::newRow("little") << QByteArray::fromHex("7b007d00") << QStringLiteral("UTF-16LE");
    QTest::newRow("big") << QByteArray::fromHex("007b007d") << QStringLiteral("UTF-16BE");
    QTest::newRow("32 little") << QByteArray::fromHex("fffe00007b000000")
                               << QStringLiteral("UTF-32LE");
    QTest::newRow("32 big") << QByteArray::fromHex("0000007b") << QStringLiteral("UTF-32BE");
  }
  void wideEncodingsAreKnownByTheirFirstBytes() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, encoding);
    QCOMPARE(QString::fromStdString(base::wideEncodingOf(bytes.toStdString())), encoding);
  }

  void filesAreReadAsUtf8OrRefusedByTheirPlace() {
    const QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("names.txt")).toStdString();
    base::writeFileAtomically(file, "\xff\xfe\x3a\x04\x0a\x00"s);
    QCOMPARE(base::readUtf8(file), "к\n"s);
    base::writeFileAtomically(file,
                              "\xef\xbb\xbf"
                              "dog\n");
    QCOMPARE(base::readUtf8(file), "dog\n"s);
    base::writeFileAtomically(file,
                              "dog\nf\xfc"
                              "chs\n");
    QCOMPARE(messageOf([&] { base::readUtf8(file); }),
             file + ": line 2: byte 6 is not UTF-8; save the file as UTF-8");
    QCOMPARE(base::readUnicode(file),
             "dog\nf\xfc"
             "chs\n"s);
    base::writeFileAtomically(file, "\xff\xfe\x3a"s);
    QCOMPARE(messageOf([&] { base::readUnicode(file); }),
             file + ": byte 3 is not UTF-16LE; save it as UTF-8");
  }
};

LOCKSTEP_TEST(TstTextEncoding)
#include "tst_text_encoding.moc"
