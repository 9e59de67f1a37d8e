#pragma once

#include <QHeaderView>

namespace lockstep::widgets {

/// Headings of narrow columns, written upwards.
class RotatedHeader : public QHeaderView {
  Q_OBJECT

 public:
  explicit RotatedHeader(QWidget* parent = nullptr);

 protected:
  QSize sectionSizeFromContents(int section) const override;
  void paintSection(QPainter* painter, const QRect& rect, int section) const override;

 private:
  QString textOf(int section) const;
};

}  // namespace lockstep::widgets
