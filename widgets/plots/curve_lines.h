#pragma once

#include <QColor>
#include <QImage>
#include <QPen>
#include <QPointF>
#include <QRect>
#include <vector>

class QPainter;

namespace lockstep::widgets {

/// The lines of a curve and what is shaded at it, in px of the plot. A NaN y is a gap.
struct CurveLines {
  using Line = std::vector<QPointF>;
  struct Band {
    Line top, bottom;
    QColor color;
  };

  Line raw, smooth;
  QPen rawPen, smoothPen;
  bool isRawThin = false, isSmoothThin = false;  ///< one pixel wide, without dashes
  std::vector<Band> bands;
};

/// A picture of an area of the plot, with `scale` pixels a px. The first curve is on top. Any
/// thread.
QImage pictureOf(const std::vector<CurveLines>& curves, const QRect& area, double scale);

/// The same for a painter that writes lines, as into PDF.
void drawVector(QPainter* painter, const std::vector<CurveLines>& curves);

}  // namespace lockstep::widgets
