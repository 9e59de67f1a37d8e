#pragma once

#include <QString>
#include <QWidget>

class QLabel;
class QPushButton;

namespace lockstep::widgets {

/// Shown in place of missing content: what is missing, why, and one action or two.
class EmptyState : public QWidget {
  Q_OBJECT

 public:
  explicit EmptyState(QWidget* parent = nullptr);
  /// `action` empty: no button.
  void setContent(const QString& title, const QString& cause, const QString& action = {},
                  const QString& otherAction = {});
  /// For a narrow column: smaller title, plain button.
  void setCompact(bool compact);
  QString title() const;

 Q_SIGNALS:
  void actionTriggered();
  void otherActionTriggered();

 private:
  QLabel* title_ = nullptr;
  QLabel* cause_ = nullptr;
  QPushButton* action_ = nullptr;
  QPushButton* otherAction_ = nullptr;
};

}  // namespace lockstep::widgets
