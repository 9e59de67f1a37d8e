#pragma once

#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QStringList>
#include <QTimer>

#include "widgets/question_dialog.h"

namespace lockstep::tests {

/// Clicks a button of the next question as soon as it is shown.
class Answer : public QObject {
 public:
  explicit Answer(const char* button) : button_(QString::fromUtf8(button)) {
    connect(&look_, &QTimer::timeout, this, [this] { look(); });
    look_.start(5);
  }
  bool isGiven() const { return isGiven_; }
  /// All texts of the question and its buttons.
  QString asked() const { return asked_.join(QLatin1Char('\n')); }

 private:
  void look() {
    const auto* dialog = qobject_cast<widgets::QuestionDialog*>(QApplication::activeModalWidget());
    if (!dialog) return;
    for (const auto* label : dialog->findChildren<QLabel*>()) asked_ << label->text();
    for (const auto* button : dialog->findChildren<QPushButton*>()) asked_ << button->text();
    for (QPushButton* button : dialog->findChildren<QPushButton*>()) {
      if (button->text() != button_) continue;
      look_.stop();
      isGiven_ = true;
      button->click();
      return;
    }
  }

  QString button_;
  QStringList asked_;
  QTimer look_;
  bool isGiven_ = false;
};

}  // namespace lockstep::tests
