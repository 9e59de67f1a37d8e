#pragma once

#include <QDialog>
#include <QString>

class QHBoxLayout;
class QPlainTextEdit;

namespace lockstep::widgets {

/// A modal question: what it is about, the consequences, and buttons named after what they do.
/// Escape cancels.
class QuestionDialog : public QDialog {
  Q_OBJECT

 public:
  enum class Kind {
    Default,  ///< Return presses it
    Other,
    Destructive,  ///< something is lost
  };
  static constexpr int kCancel = QDialog::Rejected;

  QuestionDialog(const QString& title, const QString& detail, QWidget* parent);

  /// Lines to read before answering, for example a diff.
  void setQuote(const QString& text);
  /// Returns the number of the answer, from 1.
  int addAnswer(const QString& text, Kind kind);
  void addCancel();
  /// Runs the dialog. Returns the number of the answer, or kCancel.
  int ask();

 private:
  QPlainTextEdit* quote_ = nullptr;
  QHBoxLayout* buttons_ = nullptr;
  int answers_ = 0, destructive_ = 0;
};

}  // namespace lockstep::widgets
