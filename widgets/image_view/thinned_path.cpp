#include "widgets/image_view/thinned_path.h"

#include <QPointF>
#include <algorithm>
#include <array>

namespace lockstep::widgets {
namespace {

constexpr double kApart = 0.9, kAway = 0.4;
constexpr std::size_t kMostLeftOut = 16;  // in a row, each of which is compared with every line

double squareOf(QPointF vector) { return QPointF::dotProduct(vector, vector); }

double squareAway(QPointF point, QPointF from, QPointF to) {
  const double length = squareOf(to - from);
  const double along =
      length > 0 ? std::clamp(QPointF::dotProduct(point - from, to - from) / length, 0.0, 1.0) : 0;
  return squareOf(point - from - along * (to - from));
}

/// Draws a line once its next points are known.
class LineThinner {
 public:
  explicit LineThinner(double pixel)
      : apart_(kApart * pixel), squareAway_(kAway * pixel * kAway * pixel) {}

  void moveTo(QPointF at) {
    drawLast();
    path_.moveTo(at);
    drawn_ = last_ = at;
  }
  void lineTo(QPointF at, bool isEnd) {
    if (!isEnd && (at - last_).manhattanLength() < apart_) return;
    if (!canLeaveOut(at)) drawLast();
    leftOut_[count_++] = last_ = at;
  }
  QPainterPath finish() {
    drawLast();
    return path_;
  }

 private:
  /// All points that are left out, by a line to this one.
  bool canLeaveOut(QPointF at) const {
    return count_ < kMostLeftOut &&
           std::all_of(leftOut_.begin(), leftOut_.begin() + count_,
                       [&](QPointF point) { return squareAway(point, drawn_, at) < squareAway_; });
  }
  void drawLast() {
    if (count_ == 0) return;
    path_.lineTo(last_);
    drawn_ = last_;
    count_ = 0;
  }

  double apart_, squareAway_;
  QPainterPath path_;
  QPointF drawn_, last_;
  std::array<QPointF, kMostLeftOut> leftOut_;  ///< since the drawn one, up to the last one
  std::size_t count_ = 0;
};

}  // namespace

QPainterPath thinned(const QPainterPath& path, const QTransform& toView, double pixel) {
  LineThinner thinner(pixel);
  const int count = path.elementCount();
  for (int i = 0; i < count; ++i) {
    const QPointF at = toView.map(QPointF(path.elementAt(i)));
    if (path.elementAt(i).isMoveTo())
      thinner.moveTo(at);
    else
      thinner.lineTo(at, i + 1 == count || path.elementAt(i + 1).isMoveTo());
  }
  return thinner.finish();
}

}  // namespace lockstep::widgets
