#include <QScrollBar>
#include <QTest>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

#include "tests/support/test_main.h"
#include "widgets/message_text.h"
#include "widgets/theme.h"

using namespace lockstep;

class TstMessageText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void itIsAsHighAsItsLines_data() {
    QTest::addColumn<QString>("text");
    QTest::addRow("one line") << QStringLiteral("page");
    QTest::addRow("three lines") << QStringLiteral("gypsy\njumpy\npage");
    QTest::addRow("symbols of another font") << QStringLiteral("⚙ gypsy\n▲ 測試\n● page");
    QTest::addRow("one long line") << QStringLiteral("/a/path/that/goes/on ").repeated(9);
  }
  void itIsAsHighAsItsLines() {
    QFETCH(QString, text);
    widgets::MessageText message;
    message.setMessage(text);
    message.show();
    for (int width = 1200; width >= 200; width -= 7) {
      message.resize(width, message.height());
      const int lines = linesOf(message);
      if (lines > 6) break;
      const QString where = QStringLiteral("%1 px, %2 lines").arg(width).arg(lines);
      QVERIFY2(message.viewport()->height() >= message.document()->size().height(),
               qPrintable(where));
      QVERIFY2(!message.verticalScrollBar()->isVisible(), qPrintable(where));
      QCOMPARE(message.verticalScrollBar()->maximum(), 0);
    }
  }

  void aLongOneShowsSixLinesAndScrolls() {
    widgets::MessageText message;
    message.show();
    message.setMessage(QStringLiteral("a\nb\nc\nd\ne\nf"));
    const int six = message.height();
    QCOMPARE(message.verticalScrollBar()->maximum(), 0);
    message.setMessage(QStringLiteral("a\nb\nc\nd\ne\nf\ng"));
    QCOMPARE(message.height(), six);
    QVERIFY(message.verticalScrollBar()->maximum() > 0);
  }

  void itShowsFewerLinesInALowWindow() {
    QWidget window;
    auto* message = new widgets::MessageText(&window);
    window.resize(600, widgets::scaledPx(900));
    window.show();
    message->setMessage(QStringLiteral("a"));
    const int one = message->height();
    message->setMessage(QStringLiteral("a\nb\nc"));
    const int three = message->height();
    message->setMessage(QStringLiteral("a\nb\nc\nd\ne\nf\ng"));
    const int six = message->height();
    window.resize(600, widgets::scaledPx(510));
    QCOMPARE(message->height(), three);
    window.resize(600, widgets::scaledPx(400));
    QCOMPARE(message->height(), one);
    QVERIFY(message->verticalScrollBar()->maximum() > 0);
    window.resize(600, widgets::scaledPx(900));
    QCOMPARE(message->height(), six);
  }

 private:
  static int linesOf(const widgets::MessageText& message) {
    int lines = 0;
    for (QTextBlock block = message.document()->begin(); block.isValid(); block = block.next())
      lines += block.layout()->lineCount();
    return lines;
  }

  widgets::ThemeSwitch theme_;
};

LOCKSTEP_TEST(TstMessageText)
#include "tst_message_text.moc"
