#pragma once

#include <Qsci/qsciscintilla.h>

#include <QString>
#include <functional>
#include <string>
#include <vector>

#include "widgets/experiment/document_check.h"
#include "widgets/experiment/line_marks.h"

class QsciLexerYAML;

namespace lockstep::widgets {

/// The YAML editor: syntax colours, line numbers, issues below their lines, completion of keys and
/// choices. Its undo history is that of the document.
class YamlText : public QsciScintilla {
  Q_OBJECT

 public:
  explicit YamlText(QWidget* parent = nullptr);

  /// Opens a document: clears the undo history and the modified flag. Line endings are kept.
  void setDocument(const QString& document);
  std::string utf8() const;
  /// Unlike text(), with a byte order mark if the document begins with one.
  QString wholeText() const;
  /// Makes the text equal to `changed` by one undoable replacement of the range that differs.
  void changeTo(const std::string& changed);
  void setIssues(const std::vector<DocumentIssue>& issues);
  /// A bar beside each line with a value.
  void setLineMarks(const std::vector<LineMark>& marks);
  /// Line and column count from 1, the column in characters.
  void goTo(int line, int column);
  /// Moves the cursor to a line; scrolls only if it is out of view.
  void reveal(int line);
  void selectBytes(std::size_t begin, std::size_t end);
  std::size_t cursorByte() const;
  /// Provides the tooltip of a position in the text.
  void setTips(std::function<QString(std::size_t byte)> tips) { tips_ = std::move(tips); }

 Q_SIGNALS:
  /// `issue`: index into the issues. Sent on a double click on an underlined range, a click on a
  /// mark in the margin, and Alt+Return.
  void fixRequested(int issue);
  void cursorMoved();

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void indentInSection();
  void buildMargins();
  void buildMarks();
  void connectSignals();
  void applyTheme();
  void applySyntaxColours();
  void annotateIssues();
  int annotationWidth(int line) const;
  void complete(bool asked);
  bool isCursorOnScreen() const;
  bool isWordWritten() const;
  void fitLineNumbers();
  int issueAtByte(std::size_t byte) const;
  int issueAtLine(int line) const;

  QsciLexerYAML* lexer_ = nullptr;
  std::vector<DocumentIssue> issues_;
  int annotatedPx_ = 0;  ///< width that the annotations were wrapped for
  std::function<QString(std::size_t)> tips_;
};

}  // namespace lockstep::widgets
