#pragma once

#include <Qsci/qsciscintilla.h>

#include <QString>
#include <functional>
#include <string>
#include <vector>

#include "widgets/experiment/document_check.h"

class QsciLexerYAML;

namespace lockstep::widgets {

/// The YAML text: colours, line numbers, faults at their lines, completion of keys and words. Its
/// undo history is the document's.
class YamlText : public QsciScintilla {
  Q_OBJECT

 public:
  explicit YamlText(QWidget* parent = nullptr);

  /// A new document: empty undo history, not modified. Line ends stay as they are.
  void setDocument(const QString& document);
  std::string utf8() const;
  /// Makes the text equal to `changed` by one undoable replacement of what differs.
  void changeTo(const std::string& changed);
  void setFaults(const std::vector<DocumentFault>& faults);
  /// line and column from 1, column in characters.
  void goTo(int line, int column);
  /// Shows a line as the present one, and scrolls only when it is out of view.
  void reveal(int line);
  void selectBytes(std::size_t begin, std::size_t end);
  std::size_t cursorByte() const;
  /// Text for the place under a resting pointer.
  void setTips(std::function<QString(std::size_t byte)> tips) { tips_ = std::move(tips); }

 Q_SIGNALS:
  /// Index into the faults: by double click on what is underlined, a click on the mark in the
  /// margin, or Alt+Return.
  void fixRequested(int fault);
  void cursorMoved();

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void buildMargins();
  void buildMarks();
  void connectSignals();
  void applyTheme();
  void applySyntaxColours();
  void annotateFaults();
  int roomOfNote(int line) const;
  void complete(bool asked);
  bool isWordWritten() const;
  void fitLineNumbers();
  int faultAtByte(std::size_t byte) const;
  int faultAtLine(int line) const;

  QsciLexerYAML* lexer_ = nullptr;
  std::vector<DocumentFault> faults_;
  int annotatedPx_ = 0;  ///< width that the notes under the lines were broken for
  std::function<QString(std::size_t)> tips_;
};

}  // namespace lockstep::widgets
