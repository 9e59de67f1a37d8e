#pragma once

#include <QDialog>
#include <QString>

class QHBoxLayout;
class QPlainTextEdit;

namespace lockstep::widgets {

/// A question that must be answered before anything goes on: what, what follows, and buttons that
/// say what they do. Escape cancels.
class QuestionDialog : public QDialog {
  Q_OBJECT

 public:
  enum class Kind {
    Usual,  ///< Return presses it
    Other,
    Destructive,  ///< something is lost
  };
  static constexpr int kCancel = QDialog::Rejected;

  QuestionDialog(const QString& title, const QString& detail, QWidget* parent);

  /// Lines to look at before answering.
  void setQuote(const QString& text);
  /// Number of the answer, from 1.
  int addAnswer(const QString& text, Kind kind);
  void addCancel();
  /// Waits. The number of the answer, or kCancel.
  int ask();

 private:
  QPlainTextEdit* quote_ = nullptr;
  QHBoxLayout* buttons_ = nullptr;
  int answers_ = 0, destructive_ = 0;
};

}  // namespace lockstep::widgets
