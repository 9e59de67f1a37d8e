#pragma once

#include <QFrame>
#include <QString>

class QLabel;
class QPushButton;
class QToolButton;

namespace lockstep::widgets {

class MessageText;

/// An inline message over a page: what, where, how to mend it. Never modal; stays until dismissed
/// or replaced.
class Banner : public QFrame {
  Q_OBJECT

 public:
  enum class Kind { Error, Warning, Info };
  explicit Banner(QWidget* parent = nullptr);

  /// `title` in one line, `detail` wrapped below it, scrolled past six lines; `action` empty: no
  /// button. `dismiss`: what the button says that takes the message away; empty: Dismiss.
  void showMessage(Kind kind, const QString& title, const QString& detail,
                   const QString& action = {}, const QString& dismiss = {});
  /// A second button beside the first, of the message that stands here.
  void offerAlso(const QString& action);
  QString title() const;
  QString detail() const;
  QString action() const;
  QString otherAction() const;
  void dismiss();

 Q_SIGNALS:
  void actionTriggered();
  void otherActionTriggered();
  void dismissed();

 private:
  void buildUi();
  void connectSignals();

  QLabel* icon_ = nullptr;
  QLabel* title_ = nullptr;
  MessageText* detail_ = nullptr;
  QPushButton* action_ = nullptr;
  QPushButton* otherAction_ = nullptr;
  QToolButton* copy_ = nullptr;
  QToolButton* close_ = nullptr;
};

}  // namespace lockstep::widgets
