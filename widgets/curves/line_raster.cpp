#include "widgets/curves/line_raster.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::widgets {
namespace {

/// Beyond this the coordinates of a point say no more than "far above" or "far below".
constexpr double kFarPx = 1e5;

QPointF within(const QPointF& point) { return {point.x(), std::clamp(point.y(), -kFarPx, kFarPx)}; }

double lengthOf(const QPointF& step) { return std::hypot(step.x(), step.y()); }

/// How far a round end makes a dash seem longer, in widths.
constexpr double kRoundEnd = 0.4;

/// c · alpha / 255, rounded, of four channels at once.
inline QRgb scaled(QRgb color, unsigned alpha) {
  std::uint64_t channels = color;
  channels = ((channels << 24U) | channels) & 0x00ff00ff00ff00ffULL;
  channels *= alpha;
  channels = (channels + ((channels >> 8U) & 0x00ff00ff00ff00ffULL) + 0x0080008000800080ULL) >> 8U;
  channels &= 0x00ff00ff00ff00ffULL;
  return static_cast<QRgb>(channels | (channels >> 24U));
}

}  // namespace

/// The distances of the pixels of a column from a segment: across it, and along it from its start.
/// Both change by the same amount from row to row.
struct RowDistances {
  float across, acrossPerRow, along, alongPerRow;
  float length, reach;
};

/// Written so that it is vectorised: without a branch and without a root.
void coverRows(std::uint8_t* pixels, int rows, const RowDistances& d) {
  for (int row = 0; row < rows; ++row) {
    const auto at = static_cast<float>(row);
    const float across = std::abs(d.across + at * d.acrossPerRow);
    const float along = d.along + at * d.alongPerRow;
    const float beyond = std::max(0.F, std::max(-along, along - d.length));
    // Within 4 % of hypot(across, beyond), and exact beside the segment.
    const float distance = std::max(std::max(across, beyond), 0.8F * std::max(across, beyond) +
                                                                  0.6F * std::min(across, beyond));
    const float cover = std::min(1.F, std::max(0.F, d.reach - distance));
    const auto value = static_cast<std::uint8_t>(static_cast<int>(cover * 255.F + 0.5F));
    pixels[row] = std::max(pixels[row], value);
  }
}

/// y of a line at rising x; NaN where it has none.
class LineWalk {
 public:
  explicit LineWalk(const std::vector<QPointF>& line) : line_(line) {}
  double at(double x) {
    while (next_ < line_.size() && line_[next_].x() < x) ++next_;
    if (next_ == 0 || next_ == line_.size()) return std::nan("");
    const QPointF from = within(line_[next_ - 1]), to = within(line_[next_]);
    return from.y() + (to.y() - from.y()) * (x - from.x()) / (to.x() - from.x());
  }

 private:
  const std::vector<QPointF>& line_;
  std::size_t next_ = 0;
};

/// Where a line is in its pattern of dashes.
class LineRaster::Dashes {
 public:
  explicit Dashes(const std::vector<double>& lengths) : lengths_(lengths) {
    for (const double length : lengths_) period_ += length;
    if (period_ > 0) left_ = lengths_[0];
  }
  bool isDash() const { return index_ % 2 == 0; }
  /// Goes on to the end of this dash or gap, but not farther than `most`. Returns how far.
  double take(double most) {
    const double taken = std::min(most, left_);
    left_ -= taken;
    if (left_ > 1e-9) return taken;
    index_ = (index_ + 1) % lengths_.size();
    left_ = lengths_[index_];
    return taken;
  }
  void skip(double length) {
    if (period_ <= 0) return;
    length = std::fmod(length, period_);
    while (length > 1e-9) length -= take(length);
  }

 private:
  const std::vector<double>& lengths_;
  double period_ = 0, left_ = 0;
  std::size_t index_ = 0;
};

LineRaster::LineRaster(QImage* picture)
    : picture_(picture),
      width_(picture->width()),
      height_(picture->height()),
      coverage_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_)),
      touched_(static_cast<std::size_t>(width_), Rows{height_, -1}) {}

void LineRaster::draw(const std::vector<QPointF>& line, const RasterPen& pen) {
  // Points far outside are moved along their segment to here: float32 has no digits left for them.
  const double left = -pen.widthPx - 2, right = width_ + pen.widthPx + 2;
  Dashes dashes(pen.dashesPx);
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (!std::isfinite(line[i - 1].y()) || !std::isfinite(line[i].y())) continue;
    QPointF from = within(line[i - 1]), to = within(line[i]);
    if (to.x() < left || from.x() > right) {
      dashes.skip(lengthOf(to - from));
      continue;
    }
    const QPointF step = to - from, start = from;
    if (from.x() < left) from = start + step * ((left - start.x()) / step.x());
    if (to.x() > right) to = start + step * ((right - start.x()) / step.x());
    dashes.skip(lengthOf(from - start));
    if (pen.dashesPx.empty()) {
      drawSegment(from, to, pen.widthPx / 2);
    } else {
      drawDashes(from, to, pen.widthPx, dashes);
    }
  }
  paint(pen.color);
}

/// Shortened, because a round end reaches half a width beyond the dash.
void LineRaster::drawDashes(const QPointF& from, const QPointF& to, double widthPx,
                            Dashes& dashes) {
  const QPointF step = to - from;
  const double length = lengthOf(step);
  for (double at = 0; at < length;) {
    const bool isDash = dashes.isDash();
    const double end = at + dashes.take(length - at);
    const double inset = std::min((end - at) / 2, kRoundEnd * widthPx);
    if (isDash)
      drawSegment(from + step * ((at + inset) / length), from + step * ((end - inset) / length),
                  widthPx / 2);
    at = end;
  }
}

std::uint8_t* LineRaster::columnOf(int column) {
  return coverage_.data() + static_cast<std::size_t>(column) * static_cast<std::size_t>(height_);
}

void LineRaster::include(Rows& rows, int first, int last) {
  rows.first = std::min(rows.first, first);
  rows.last = std::max(rows.last, last);
}

/// Every pixel is covered as far as its distance from the segment says.
void LineRaster::drawSegment(const QPointF& from, const QPointF& to, double halfWidth) {
  const double reach = halfWidth + 0.5, dx = to.x() - from.x(), dy = to.y() - from.y();
  const double length = std::sqrt(dx * dx + dy * dy);
  const double ux = length > 0 ? dx / length : 1, uy = length > 0 ? dy / length : 0;
  const int firstColumn = std::max(0, static_cast<int>(std::floor(from.x() - reach)));
  const int lastColumn = std::min(width_ - 1, static_cast<int>(std::floor(to.x() + reach)));
  for (int column = firstColumn; column <= lastColumn; ++column) {
    const double center = column + 0.5;
    // The part of the segment that can reach this column.
    double a = from.y(), b = to.y();
    if (dx > 0) {
      const double slope = dy / dx;
      a = from.y() + slope * (std::clamp(center - reach, from.x(), to.x()) - from.x());
      b = from.y() + slope * (std::clamp(center + reach, from.x(), to.x()) - from.x());
    }
    const int first = std::max(0, static_cast<int>(std::floor(std::min(a, b) - reach)));
    const int last = std::min(height_ - 1, static_cast<int>(std::floor(std::max(a, b) + reach)));
    if (first > last) continue;
    include(touched_[static_cast<std::size_t>(column)], first, last);
    const double px = center - from.x(), py = first + 0.5 - from.y();
    coverRows(columnOf(column) + first, last - first + 1,
              {static_cast<float>(px * uy - py * ux), static_cast<float>(-ux),
               static_cast<float>(px * ux + py * uy), static_cast<float>(uy),
               static_cast<float>(length), static_cast<float>(reach)});
  }
}

void LineRaster::drawThin(const std::vector<QPointF>& line, const QColor& color) {
  struct Span {
    double top = std::numeric_limits<double>::infinity(), bottom = -top;
  };
  std::vector<Span> spans(static_cast<std::size_t>(width_));
  const auto add = [&](int column, double y) {
    Span& span = spans[static_cast<std::size_t>(column)];
    span.top = std::min(span.top, y);
    span.bottom = std::max(span.bottom, y);
  };
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (!std::isfinite(line[i - 1].y()) || !std::isfinite(line[i].y())) continue;
    const QPointF from = within(line[i - 1]), to = within(line[i]);
    const double slope = to.x() > from.x() ? (to.y() - from.y()) / (to.x() - from.x()) : 0;
    const int firstColumn = std::max(0, static_cast<int>(std::floor(from.x())));
    const int lastColumn = std::min(width_ - 1, static_cast<int>(std::floor(to.x())));
    for (int column = firstColumn; column <= lastColumn; ++column) {
      const double left = std::max(from.x(), static_cast<double>(column));
      const double right = std::min(to.x(), static_cast<double>(column) + 1);
      add(column, from.y() + slope * (left - from.x()));
      add(column, to.x() > from.x() ? from.y() + slope * (right - from.x()) : to.y());
    }
  }
  for (int column = 0; column < width_; ++column) {
    const Span& span = spans[static_cast<std::size_t>(column)];
    if (span.top <= span.bottom) addRows(column, span.top - 0.5, span.bottom + 0.5);
  }
  paint(color);
}

void LineRaster::fillBetween(const std::vector<QPointF>& line, const std::vector<QPointF>& other,
                             const QColor& color) {
  LineWalk first(line), second(other);
  for (int column = 0; column < width_; ++column) {
    const double a = first.at(column + 0.5), b = second.at(column + 0.5);
    if (std::isfinite(a) && std::isfinite(b)) addRows(column, std::min(a, b), std::max(a, b));
  }
  paint(color);
}

/// Covers a column from `top` to `bottom`, its first and last pixel in part.
void LineRaster::addRows(int column, double top, double bottom) {
  const int first = std::max(0, static_cast<int>(std::floor(top)));
  const int last = std::min(height_ - 1, static_cast<int>(std::ceil(bottom)) - 1);
  if (first > last) return;
  include(touched_[static_cast<std::size_t>(column)], first, last);
  std::uint8_t* pixels = columnOf(column);
  for (int row = first; row <= last; ++row) {
    const double share = std::min(bottom, row + 1.0) - std::max(top, static_cast<double>(row));
    pixels[row] = std::max(pixels[row], static_cast<std::uint8_t>(255 * share + 0.5));
  }
}

void LineRaster::paint(const QColor& color) {
  const QRgb ink = qPremultiply(color.rgba());
  auto* bits = reinterpret_cast<QRgb*>(picture_->bits());
  const auto stride = static_cast<std::size_t>(picture_->bytesPerLine()) / sizeof(QRgb);
  for (int column = 0; column < width_; ++column) {
    Rows& rows = touched_[static_cast<std::size_t>(column)];
    std::uint8_t* pixels = columnOf(column);
    QRgb* target =
        bits + static_cast<std::size_t>(column) + stride * static_cast<std::size_t>(rows.first);
    for (int row = rows.first; row <= rows.last; ++row, target += stride) {
      if (pixels[row] == 0) continue;
      const QRgb source = scaled(ink, pixels[row]);
      *target = source + scaled(*target, 255U - static_cast<unsigned>(qAlpha(source)));
      pixels[row] = 0;
    }
    rows = {height_, -1};
  }
}

}  // namespace lockstep::widgets
