#pragma once

#include <QLabel>

namespace lockstep::widgets {

/// One line of plain text that says by "…" that it is longer than its place, and tells all of it
/// when pointed at. Asks for its whole width and is content with that of "…".
class ElidedLabel : public QLabel {
  Q_OBJECT

 public:
  explicit ElidedLabel(Qt::TextElideMode mode, QWidget* parent = nullptr);
  ElidedLabel(const QString& text, Qt::TextElideMode mode, QWidget* parent = nullptr);

  /// What fits, as it is painted.
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
