#include <QFontMetrics>
#include <QKeyEvent>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/test_main.h"
#include "widgets/config_editor/yaml_text.h"
#include "widgets/theme.h"

using namespace lockstep::widgets;

namespace {

constexpr int kErrorMark = 1;

DocumentIssue issue(int line, std::size_t begin, std::size_t end) {
  DocumentIssue made;
  made.line = line;
  made.begin = begin;
  made.end = end;
  made.text = "is wrong";
  made.suggestion = "right";
  return made;
}

}  // namespace

class TstYamlText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aChangeReplacesOnlyWhatDiffersAndIsUndoneAtOnce() {
    YamlText text;
    text.setDocument(QStringLiteral("name: größe\nsolver:\n  base_lr: 0.02\n"));
    QVERIFY(!text.isUndoAvailable());
    text.setCursorPosition(0, 3);
    QSignalSpy modified(&text, &QsciScintillaBase::SCN_MODIFIED);
    text.changeTo("name: größe\nsolver:\n  base_lr: 0.015\n");
    QCOMPARE(text.utf8(), std::string("name: größe\nsolver:\n  base_lr: 0.015\n"));
    int line = 0, index = 0;
    text.getCursorPosition(&line, &index);
    QCOMPARE(line, 0);
    QCOMPARE(index, 3);
    text.undo();
    QCOMPARE(text.utf8(), std::string("name: größe\nsolver:\n  base_lr: 0.02\n"));
    QVERIFY(!text.isUndoAvailable());
    QVERIFY(!text.isModified());
  }

  void lineEndsStayAsTheyAre() {
    YamlText text;
    const QString document = QStringLiteral("name: a\r\nsolver:\r\n  base_lr: 0.02\r\n");
    text.setDocument(document);
    QCOMPARE(text.text(), document);
    QCOMPARE(text.eolMode(), QsciScintilla::EolWindows);
    text.setDocument(QStringLiteral("name: a\n"));
    QCOMPARE(text.eolMode(), QsciScintilla::EolUnix);
  }

  void aLineBelowASectionIsOneOfItsKeys_data() {
    QTest::addColumn<QString>("before");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("after");
    const auto row = [](const char* name, const char* before, int line, const char* after) {
      QTest::newRow(name) << QString::fromUtf8(before) << line << QString::fromUtf8(after);
    };
    row("section", "solver:", 0, "solver:\n  x");
    row("with a comment", "solver:  # all of it", 0, "solver:  # all of it\n  x");
    row("section of a section", "model:\n  rpn:", 1, "model:\n  rpn:\n    x");
    row("as far in as its keys", "solver:\n    base_lr: 1\n", 0,
        "solver:\n    x\n    base_lr: 1\n");
    row("a key", "solver:\n  base_lr: 0.02", 1, "solver:\n  base_lr: 0.02\n  x");
    row("a comment", "# about the solver:", 0, "# about the solver:\nx");
  }

  void aLineBelowASectionIsOneOfItsKeys() {
    QFETCH(QString, before);
    QFETCH(int, line);
    QFETCH(QString, after);
    YamlText text;
    text.setDocument(before);
    text.setCursorPosition(line, static_cast<int>(before.section(u'\n', line, line).size()));
    QTest::keyClick(&text, Qt::Key_Return);
    QTest::keyClicks(&text, QStringLiteral("x"));
    QCOMPARE(text.text(), after);
    text.undo();
    text.undo();
    QCOMPARE(text.text(), before);
  }

  void issuesAreMarkedAtTheirLines() {
    YamlText text;
    text.setDocument(QStringLiteral("solver:\n  base_lr: -1\n"));
    text.setIssues({issue(2, 19, 21)});
    QVERIFY((text.markersAtLine(1) & (1 << kErrorMark)) != 0);
    QVERIFY((text.markersAtLine(0) & (1 << kErrorMark)) == 0);
    QVERIFY(text.annotation(1).contains(QStringLiteral("is wrong")));
    QVERIFY(text.annotation(1).contains(QStringLiteral("right")));
    QCOMPARE(text.SendScintilla(QsciScintillaBase::SCI_INDICATORVALUEAT, 8UL, 20L), 1L);
    QCOMPARE(text.SendScintilla(QsciScintillaBase::SCI_INDICATORVALUEAT, 8UL, 10L), 0L);
    DocumentIssue inherited = issue(2, 0, 0);
    inherited.isHere = false;
    inherited.position = "base.yaml:3:12";
    inherited.key = "solver.momentum";
    text.setIssues({inherited});
    const QString shown = text.annotation(1).remove(QLatin1Char('\n')).remove(QLatin1Char(' '));
    QVERIFY2(shown.startsWith(QStringLiteral("base.yaml:3:12:solver.momentum:iswrong")),
             qPrintable(shown));
    text.setIssues({});
    QVERIFY(text.annotation(1).isEmpty());
    QCOMPARE(text.markersAtLine(1), 0U);
    text.setIssues({issue(99, 500, 600)});  // of a longer text
  }

  /// All messages of a line are visible, wherever the cursor is in it.
  void messagesAndLongLinesAreWrapped() {
    YamlText text;
    text.resize(420, 300);
    text.show();
    const QString line =
        QStringLiteral("  annotations: /a/folder/") + QStringLiteral("name/").repeated(30);
    text.setDocument(QStringLiteral("dataset:\n") + line + QLatin1Char('\n'));
    DocumentIssue longIssue = issue(2, 12, 20);
    longIssue.text =
        "/a/folder/" + std::string(200, 'x') +
        ": there is no such file; a base is looked for from the folder of the file that "
        "names it, and this goes on for a while";
    text.setIssues({longIssue});
    text.setCursorPosition(1, static_cast<int>(line.size()));
    text.ensureCursorVisible();
    QCOMPARE(text.SendScintilla(QsciScintillaBase::SCI_GETXOFFSET), 0L);
    QVERIFY(!text.horizontalScrollBar()->isVisible());
    for (const int width : {420, 300, 700}) {
      text.resize(width, 300);
      const QFontMetrics metrics(interfaceFont(11));
      const QStringList lines = text.annotation(1).split(QLatin1Char('\n'));
      QVERIFY(lines.size() > 1);
      for (const QString& each : lines)
        QVERIFY2(metrics.horizontalAdvance(each) < text.viewport()->width() - 40, qPrintable(each));
      const auto letters = [](QString from) {
        return from.remove(QLatin1Char('\n')).remove(QLatin1Char(' '));
      };
      QCOMPARE(letters(text.annotation(1)), letters(QString::fromStdString(longIssue.text)) +
                                                QStringLiteral("double-clicktoreplacewith:right"));
    }
  }

  void anEmptyTextDoesNotScroll() {
    YamlText text;
    text.resize(420, 300);
    text.show();
    text.setDocument(QStringLiteral("a: ") + QString(300, QLatin1Char('x')));
    text.grab();  // the scroll width is that of the drawn text
    text.setDocument({});
    text.grab();
    QVERIFY(!text.horizontalScrollBar()->isVisible());
  }

  /// It closes the completion list; without one the window gets it.
  void escapeIsHandledOnlyIfAListIsOpen() {
    YamlText text;
    text.resize(400, 300);
    text.show();
    text.setFocus();
    text.setDocument(QStringLiteral("solver:\n  \n"));
    const auto takes = [&text] {
      QKeyEvent escape(QEvent::ShortcutOverride, Qt::Key_Escape, Qt::NoModifier);
      escape.ignore();
      QCoreApplication::sendEvent(&text, &escape);
      return escape.isAccepted();
    };
    QVERIFY(!takes());
    text.setCursorPosition(1, 2);
    QTest::keyClicks(&text, QStringLiteral("sched"));
    QVERIFY(text.isListActive() && takes());
    QTest::keyClick(&text, Qt::Key_Escape);
    QVERIFY(!text.isListActive());
    QCOMPARE(text.utf8(), std::string("solver:\n  sched\n"));
  }

  void altReturnFixesTheLine() {
    YamlText text;
    text.setDocument(QStringLiteral("solver:\n  base_lr: -1\n"));
    text.setIssues({issue(2, 19, 21)});
    QSignalSpy requested(&text, &YamlText::fixRequested);
    text.setCursorPosition(0, 0);
    QTest::keyClick(&text, Qt::Key_Return, Qt::AltModifier);
    QCOMPARE(requested.size(), 0);
    text.setCursorPosition(1, 3);
    QTest::keyClick(&text, Qt::Key_Return, Qt::AltModifier);
    QCOMPARE(requested.size(), 1);
  }

  void typingOffersKeys() {
    YamlText text;
    text.resize(400, 300);
    text.show();
    text.setFocus();
    text.setDocument(QStringLiteral("solver:\n  \n"));
    text.setCursorPosition(1, 2);
    QTest::keyClicks(&text, QStringLiteral("sched"));
    QVERIFY(text.isListActive());
    QTest::keyClick(&text, Qt::Key_Return);
    QCOMPARE(text.utf8(), std::string("solver:\n  schedule: \n"));
  }

  void returnEndsEveryLineThatIsTypedInFull() {
    YamlText text;
    text.resize(400, 300);
    text.show();
    text.setFocus();
    text.setDocument(QString());
    const std::vector<std::string> lines = {"name: small",
                                            "dataset:",
                                            "  train:",
                                            "    images: images",
                                            "    annotations: a.json",
                                            "solver:",
                                            "  schedule: cosine",
                                            "  base_lr: 0.01",
                                            "  max_steps: 200",
                                            "checkpoint:",
                                            "  every_steps: 100",
                                            "model:",
                                            "  weights: null",
                                            "solver"};
    std::string written;
    for (const std::string& line : lines) {
      // The text typed does not include the automatic indentation.
      while (text.cursorByte() > written.size()) QTest::keyClick(&text, Qt::Key_Backspace);
      QTest::keyClicks(&text, QString::fromStdString(line));
      QTest::keyClick(&text, Qt::Key_Return);
      written += line + "\n";
      QVERIFY2(text.utf8().starts_with(written), (written + "---\n" + text.utf8()).c_str());
      QVERIFY(!text.isListActive());
    }
  }

  void nothingIsOfferedBesideTheScreens() {
    YamlText text;
    text.resize(400, 300);
    text.move(-5000, -5000);
    text.show();
    text.setFocus();
    text.setDocument(QStringLiteral("solver:\n  \n"));
    text.setCursorPosition(1, 2);
    QTest::keyClicks(&text, QStringLiteral("sched"));
    QVERIFY(!text.isListActive());
    QVERIFY(text.utf8().starts_with("solver:\n  sched"));
  }

  void nothingIsOfferedWhereNothingIsValid() {
    YamlText text;
    text.resize(400, 300);
    text.show();
    text.setFocus();
    text.setDocument(QString());
    QTest::keyClicks(&text, QStringLiteral("solve"));
    QVERIFY(text.isListActive());
    QTest::keyClicks(&text, QStringLiteral("r:"));
    QVERIFY(!text.isListActive());
  }

  void tabInsertsACandidate() {
    YamlText text;
    text.resize(400, 300);
    text.show();
    text.setFocus();
    text.setDocument(QStringLiteral("dataset:\n  train:\n    \n"));
    text.setCursorPosition(2, 4);
    QTest::keyClicks(&text, QStringLiteral("i"));
    QVERIFY(text.isListActive());
    QTest::keyClick(&text, Qt::Key_Tab);
    QCOMPARE(text.utf8(), std::string("dataset:\n  train:\n    images: \n"));
  }
};

LOCKSTEP_TEST(TstYamlText)
#include "tst_yaml_text.moc"
