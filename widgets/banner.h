#pragma once

#include <QFrame>
#include <QString>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace lockstep::widgets {

class MessageText;

/// An inline message above a page: what is wrong, where, and how to fix it. Not modal; stays until
/// it is dismissed or replaced.
class Banner : public QFrame {
  Q_OBJECT

 public:
  enum class Kind { Error, Warning, Info };
  explicit Banner(QWidget* parent = nullptr);

  /// `title` is one line; where it is wrapped, four are shown, and its tooltip is the whole.
  /// `detail` is wrapped below it and scrolls beyond six lines. An empty `action` shows no button.
  /// `dismiss`: text of the button that closes the message; empty: "Dismiss".
  void showMessage(Kind kind, const QString& title, const QString& detail,
                   const QString& action = {}, const QString& dismiss = {});
  /// Adds a second button to the current message; empty: removes it.
  void setOtherAction(const QString& action);
  QString title() const;
  QString detail() const;
  QString action() const;
  QString otherAction() const;
  void dismiss();

 Q_SIGNALS:
  void actionTriggered();
  void otherActionTriggered();
  void dismissed();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  class Mark;
  void buildUi();
  void connectSignals();
  void fit();

  Kind kind_ = Kind::Info;
  QString whole_;  ///< title
  QLabel* title_ = nullptr;
  MessageText* detail_ = nullptr;
  QPushButton* action_ = nullptr;
  QPushButton* otherAction_ = nullptr;
  QToolButton* copy_ = nullptr;
  QToolButton* close_ = nullptr;
  QWidget* buttons_ = nullptr;  ///< beside the texts, or below them
  QHBoxLayout* row_ = nullptr;
  QVBoxLayout* texts_ = nullptr;
};

}  // namespace lockstep::widgets
