#pragma once

#include <QString>
#include <QWidget>

namespace lockstep::app {

/// A run's state in its colour: a dot and the word in a rounded ground. As wide for every state.
class StatePill : public QWidget {
  Q_OBJECT

 public:
  explicit StatePill(QWidget* parent = nullptr);
  void setState(const QString& state);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int widthOf(const QString& state) const;
  QString state_;
};

}  // namespace lockstep::app
