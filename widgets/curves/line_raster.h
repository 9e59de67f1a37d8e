#pragma once

#include <QColor>
#include <QImage>
#include <QPointF>
#include <cstdint>
#include <vector>

namespace lockstep::widgets {

struct RasterPen {
  QColor color;
  double widthPx = 1;
  std::vector<double> dashesPx{};  ///< lengths > 0 of dashes and gaps in turn; empty: solid
};

/// Draws antialiased lines whose x ascend into a picture. The cost is that of the pixels near the
/// line; QPainter's, which strokes a path, is that of its joins and dashes: some fifty times more
/// for a curve with a point in every pixel column.
class LineRaster {
 public:
  /// `picture`: ARGB32_Premultiplied; it must outlive this.
  explicit LineRaster(QImage* picture);

  /// A line with round joins and ends through points in px. A NaN y is a gap.
  void draw(const std::vector<QPointF>& line, const RasterPen& pen);
  /// A line one pixel wide, in a fraction of the time: in each pixel column, what lies between its
  /// lowest and its highest point there.
  void drawThin(const std::vector<QPointF>& line, const QColor& color);
  /// The area between two lines, as far as both reach.
  void fillBetween(const std::vector<QPointF>& line, const std::vector<QPointF>& other,
                   const QColor& color);

 private:
  class Dashes;
  /// The rows of a column that the current line has touched.
  struct Rows {
    int first = 0, last = -1;
  };
  void drawSegment(const QPointF& from, const QPointF& to, double halfWidth);
  void drawDashes(const QPointF& from, const QPointF& to, double widthPx, Dashes& dashes);
  void addRows(int column, double top, double bottom);
  std::uint8_t* columnOf(int column);
  static void include(Rows& rows, int first, int last);
  /// Blends what has been covered into the picture.
  void paint(const QColor& color);

  QImage* picture_;
  int width_ = 0, height_ = 0;
  std::vector<std::uint8_t> coverage_;  ///< of the current line, column by column
  std::vector<Rows> touched_;           ///< by column
};

}  // namespace lockstep::widgets
