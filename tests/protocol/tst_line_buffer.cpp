#include <QTest>
#include <random>

#include "engine/protocol/messages.h"
#include "tests/support/test_main.h"

using namespace lockstep::protocol;
using LineResult = LineBuffer::Result;

class TstLineBuffer : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void linesAreUnchanged();
  void anEmptyLineIsALine();
  void aLineOfTheLimitPassesAndOneMoreByteDoesNot();
  void anEndlessLineIsReportedOnceAndDropped();
  void aTooLongLineIsReportedInOrder();
  void everySplitOfTheStreamGivesTheSameLines();
};

void TstLineBuffer::linesAreUnchanged() {
  LineBuffer buffer;
  std::string line;
  QCOMPARE(buffer.next(line), LineResult::NeedMore);
  buffer.append("one\ntw");
  QCOMPARE(buffer.next(line), LineResult::Line);
  QCOMPARE(line, std::string("one"));
  QCOMPARE(buffer.next(line), LineResult::NeedMore);
  buffer.append("o\n");
  QCOMPARE(buffer.next(line), LineResult::Line);
  QCOMPARE(line, std::string("two"));
  QCOMPARE(buffer.next(line), LineResult::NeedMore);
}

void TstLineBuffer::anEmptyLineIsALine() {
  LineBuffer buffer;
  std::string line = "before";
  buffer.append("\n\n");
  QCOMPARE(buffer.next(line), LineResult::Line);
  QCOMPARE(line, std::string());
  QCOMPARE(buffer.next(line), LineResult::Line);
  QCOMPARE(buffer.next(line), LineResult::NeedMore);
}

void TstLineBuffer::aLineOfTheLimitPassesAndOneMoreByteDoesNot() {
  LineBuffer buffer;
  std::string line;
  const std::string longest(kMaxLineBytes, 'x');
  buffer.append(longest);
  QCOMPARE(buffer.next(line), LineResult::NeedMore);
  buffer.append("\n");
  QCOMPARE(buffer.next(line), LineResult::Line);
  QCOMPARE(line.size(), kMaxLineBytes);
  buffer.append(longest + "y\nz\n");
  QCOMPARE(buffer.next(line), LineResult::TooLong);
  QCOMPARE(buffer.next(line), LineResult::Line);
  QCOMPARE(line, std::string("z"));
}

void TstLineBuffer::anEndlessLineIsReportedOnceAndDropped() {
  LineBuffer buffer;
  std::string line;
  int reports = 0;
  const std::string chunk(65536, 'x');
  for (int i = 0; i < 200; ++i) {
    buffer.append(chunk);
    const LineResult result = buffer.next(line);
    QVERIFY(result != LineResult::Line);
    reports += result == LineResult::TooLong;
  }
  QCOMPARE(reports, 1);
  buffer.append("the end of it\nnext\n");
  QCOMPARE(buffer.next(line), LineResult::Line);
  QCOMPARE(line, std::string("next"));
  QCOMPARE(buffer.next(line), LineResult::NeedMore);
}

void TstLineBuffer::aTooLongLineIsReportedInOrder() {
  LineBuffer buffer;
  std::string line;
  buffer.append("a\n");
  for (int i = 0; i < 40; ++i) buffer.append(std::string(65536, 'x'));
  buffer.append("\nb\n");
  QCOMPARE(buffer.next(line), LineResult::Line);
  QCOMPARE(line, std::string("a"));
  QCOMPARE(buffer.next(line), LineResult::TooLong);
  QCOMPARE(buffer.next(line), LineResult::Line);
  QCOMPARE(line, std::string("b"));
  QCOMPARE(buffer.next(line), LineResult::NeedMore);
}

void TstLineBuffer::everySplitOfTheStreamGivesTheSameLines() {
  std::mt19937 random(3);
  std::vector<std::string> expected;
  std::string stream;
  for (int i = 0; i < 300; ++i) {
    expected.push_back(std::string(random() % 40, static_cast<char>('a' + i % 26)));
    stream += expected.back() + '\n';
  }
  for (int trial = 0; trial < 50; ++trial) {
    LineBuffer buffer;
    std::vector<std::string> lines;
    std::string line;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t bytes = std::min<std::size_t>(1 + random() % 97, stream.size() - at);
      buffer.append(std::string_view(stream).substr(at, bytes));
      at += bytes;
      if (random() % 3 == 0) continue;
      while (buffer.next(line) == LineResult::Line) lines.push_back(line);
    }
    while (buffer.next(line) == LineResult::Line) lines.push_back(line);
    QVERIFY(lines == expected);
  }
}

LOCKSTEP_TEST(TstLineBuffer)
#include "tst_line_buffer.moc"
