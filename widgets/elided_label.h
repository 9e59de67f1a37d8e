#pragma once

#include <QLabel>

namespace lockstep::widgets {

/// One line of plain text, elided with "…" if there is no room; a tooltip then shows all of it. Its
/// size hint is the full width, its minimum that of "…".
class ElidedLabel : public QLabel {
  Q_OBJECT

 public:
  explicit ElidedLabel(Qt::TextElideMode mode, QWidget* parent = nullptr);
  ElidedLabel(const QString& text, Qt::TextElideMode mode, QWidget* parent = nullptr);

  /// The text as painted, elided to the width.
  QString shownText() const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  QSize sizeOf(const QString& text) const;

  Qt::TextElideMode mode_;
};

}  // namespace lockstep::widgets
