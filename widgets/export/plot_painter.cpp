#include "widgets/export/plot_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "widgets/curves/number_text.h"
#include "widgets/curves/pixel_map.h"
#include "widgets/curves/polyline.h"
#include "widgets/curves/tick_steps.h"
#include "widgets/export/figure.h"
#include "widgets/export/figure_font.h"
#include "widgets/plots/card_legend.h"
#include "widgets/plots/curve_lines.h"
#include "widgets/plots/curve_pen.h"
#include "widgets/plots/event_marks.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr double kTitlePx = 20, kLegendPx = 16, kLeftPx = 66, kRightPx = 10, kBottomPx = 40,
                 kSamplePx = 22, kMarkPx = 10, kToNamePx = 5, kBetweenPx = 14, kTickGapPx = 5,
                 kMarkerGapPx = 9, kCrossPx = 4, kRingPx = 6.5, kDotPx = 2.5;
constexpr int kXTickPx = 80, kYTickPx = 30, kMaxLegendLines = 4;

/// To a twentieth of a px: what nobody sees makes most of a PDF's bytes, and of the time to pack
/// them.
double rounded(double px) { return std::round(px * 20) / 20; }

struct Tick {
  double value;
  QString text;
};

/// Ticks of an axis with about `count` of them, as on the screen.
struct TickValues {
  TickValues(std::pair<double, double> range, double linearStep, int count, bool isLogAxis)
      : step(linearStep), values(isLogAxis ? logTicks(range, count) : std::vector<double>()) {
    isLog = !values.empty();
    if (!isLog) values = ticksEvery(step, range);
  }

  double step;
  std::vector<double> values;
  bool isLog;  ///< they are powers of ten and what is between: each has a label of its own size
};

class PlotPainter {
 public:
  PlotPainter(QPainter& painter, const FigurePlot& plot, const QRectF& place)
      : painter_(painter), plot_(plot), place_(place), legend_(legendEntries(plot.styles())) {
    for (const EventMark::Kind kind : markKinds(plot.marks))
      legend_.push_back({.curve = {}, .text = markName(kind), .mark = kind});
    placeLegend();
  }

  void paint() {
    paintTitle();
    paintLegend();
    paintAxes();
    painter_.save();
    painter_.setClipRect(clip());
    paintLines();
    painter_.restore();
    for (std::size_t i = plot_.curves.size(); i-- > 0;) paintMarks(plot_.curves[i]);
    paintEventMarks();
  }

 private:
  struct Place {
    double left;
    int line;
  };
  void placeLegend();
  void paintTitle();
  void paintLegend();
  void paintAxes();
  void paintNames();
  void paintLines();
  void paintMarks(const FigureCurve& each);
  void paintRing(const QPointF& centre, const QColor& color);
  void paintEventMarks();
  void paintEventMark(EventMark::Kind kind, const QPointF& centre);
  CurveLines linesOf(std::size_t index) const;
  CurveLines::Line toPixels(const std::vector<QPointF>& points) const;
  /// The points in the plot: a mark at its border is drawn whole.
  CurveLines::Line shown(CurveLines::Line points) const;
  std::vector<Tick> xTicks() const;
  std::vector<Tick> yTicks() const;
  QString lowestText() const;
  /// px of the sample of a legend's entry.
  double sampleWidth(std::size_t entry) const {
    return entry < legend_.size() && legend_[entry].mark ? kMarkPx : kSamplePx;
  }
  bool isOneRun() const { return legend_.empty() || !legend_.front().anyRun; }
  /// With room for the width of a line at the border, such as a loss of 0.
  QRectF clip() const { return area_.adjusted(-1, -2, 1, 2); }
  PixelMap toX() const { return {plot_.x, area_.left(), area_.right(), plot_.isLogX}; }
  PixelMap toY() const { return {plot_.y, area_.bottom(), area_.top(), plot_.isLogY}; }

  QPainter& painter_;
  const FigurePlot& plot_;
  QRectF place_, area_;
  std::vector<LegendEntry> legend_;
  QString lowest_;             ///< the last entry; empty: none
  std::vector<Place> places_;  ///< of the entries that have room
  const Theme& theme_ = lightTheme();
  const QFont font_ = figureFont(11), titleFont_ = figureFont(13, QFont::DemiBold);
};

void PlotPainter::placeLegend() {
  const QFontMetricsF metrics(font_);
  QStringList texts;
  for (const LegendEntry& entry : legend_) texts.append(entry.text);
  // With several runs, rings in the runs' colours have no text.
  lowest_ = isOneRun() ? lowestText() : QString();
  if (!lowest_.isEmpty()) texts.append(lowest_);
  double left = 0;
  int line = 0;
  for (const QString& text : texts) {
    const double width = sampleWidth(places_.size()) + kToNamePx + metrics.horizontalAdvance(text);
    if (left > 0 && left + width > place_.width() - kLeftPx) {
      left = 0;
      if (++line == kMaxLegendLines) break;
    }
    places_.push_back({left, line});
    left += width + kBetweenPx;
  }
  const int lines = places_.empty() ? 0 : places_.back().line + 1;
  area_ = place_.adjusted(kLeftPx, kTitlePx + lines * kLegendPx + 6, -kRightPx, -kBottomPx);
}

/// "lowest", not "best": the best checkpoint is chosen by evaluation.best_metric.
QString PlotPainter::lowestText() const {
  const auto marked = std::ranges::find_if(
      plot_.curves, [](const FigureCurve& each) { return each.curve.markLowest && each.lowest; });
  if (marked == plot_.curves.end()) return {};
  const QString& name = marked->curve.valueName;
  return FigurePlot::tr("lowest %1 %2 at step %3")
      .arg(name.isEmpty() ? marked->curve.name : name, valueText(marked->lowest->value))
      .arg(marked->lowest->step);
}

void PlotPainter::paintTitle() {
  const QPointF at(place_.left() + kLeftPx, place_.top() + QFontMetricsF(titleFont_).ascent());
  painter_.setFont(titleFont_);
  painter_.setPen(theme_.text);
  painter_.drawText(at, plot_.title);
}

void PlotPainter::paintLegend() {
  const QFontMetricsF metrics(font_);
  painter_.setFont(font_);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const double left = place_.left() + kLeftPx + places_[i].left;
    const double middle = place_.top() + kTitlePx + (places_[i].line + 0.5) * kLegendPx;
    const bool isLowest = i == legend_.size();
    const double sample = sampleWidth(i);
    if (isLowest) {
      paintRing({left + sample / 2, middle}, theme_.good);
    } else if (legend_[i].mark) {
      paintEventMark(*legend_[i].mark, {left + sample / 2, middle});
    } else {
      paintSample(painter_, legend_[i].curve, legend_[i].pen(theme_), {left, middle}, sample,
                  theme_.card);
    }
    painter_.setPen(theme_.text);
    painter_.drawText(QPointF(left + sample + kToNamePx, middle + metrics.capHeight() / 2),
                      isLowest ? lowest_ : legend_[i].text);
  }
}

void PlotPainter::paintEventMark(EventMark::Kind kind, const QPointF& centre) {
  const QColor color = markColor(kind, theme_);
  painter_.setPen(QPen(color, 1));
  painter_.setBrush(color);
  painter_.drawPath(markShape(kind).translated(centre));
}

void PlotPainter::paintEventMarks() {
  for (const PlacedMarks& placed : placeMarks(plot_.marks, toX()))
    for (const double x : placed.x)
      paintEventMark(placed.kind, {x, area_.bottom() - placed.abovePx});
}

void PlotPainter::paintRing(const QPointF& centre, const QColor& color) {
  painter_.setBrush(Qt::NoBrush);
  painter_.setPen(QPen(color, 2));
  painter_.drawEllipse(centre, kRingPx, kRingPx);
}

std::vector<Tick> PlotPainter::xTicks() const {
  const int count = std::clamp(static_cast<int>(area_.width() / kXTickPx), 2, 10);
  const TickValues ticks(plot_.x, tickStep(plot_.axis, plot_.x, count), count, plot_.isLogX);
  std::vector<Tick> named;
  for (const double value : ticks.values)
    named.push_back({value, xText(plot_.axis, value, ticks.isLog ? value : ticks.step)});
  return named;
}

std::vector<Tick> PlotPainter::yTicks() const {
  const int count = std::clamp(static_cast<int>(area_.height() / kYTickPx), 2, 8);
  const TickValues ticks(plot_.y, valueTickStep(plot_.y, count), count, plot_.isLogY);
  std::vector<Tick> named;
  for (const double value : ticks.values)
    named.push_back(
        {value, std::abs(value) < ticks.step * 1e-9 ? QStringLiteral("0") : valueTickText(value)});
  return named;
}

void PlotPainter::paintAxes() {
  const QFontMetricsF metrics(font_);
  const PixelMap toX = this->toX(), toY = this->toY();
  painter_.setFont(font_);
  for (const Tick& tick : yTicks()) {
    const double y = toY(tick.value);
    painter_.setPen(QPen(theme_.grid, 1));
    painter_.drawLine(QPointF(area_.left(), y), QPointF(area_.right(), y));
    painter_.setPen(theme_.text);
    painter_.drawText(QPointF(area_.left() - kTickGapPx - metrics.horizontalAdvance(tick.text),
                              y + metrics.capHeight() / 2),
                      tick.text);
  }
  for (const Tick& tick : xTicks()) {
    const double x = toX(tick.value), half = metrics.horizontalAdvance(tick.text) / 2;
    painter_.setPen(QPen(theme_.textFaint, 1));
    painter_.drawLine(QPointF(x, area_.bottom()), QPointF(x, area_.bottom() + kTickGapPx - 1));
    painter_.setPen(theme_.text);
    painter_.drawText(QPointF(std::min(x - half, place_.right() - 2 * half),
                              area_.bottom() + kTickGapPx + metrics.ascent()),
                      tick.text);
  }
  painter_.setPen(QPen(theme_.textFaint, 1));
  painter_.drawLine(area_.bottomLeft(), area_.bottomRight());
  painter_.drawLine(area_.bottomLeft(), area_.topLeft());
  paintNames();
}

void PlotPainter::paintNames() {
  const QFontMetricsF metrics(font_);
  painter_.setPen(theme_.textMuted);
  const QString x = plot_.xName(),
                y = metrics.elidedText(plot_.yName(), Qt::ElideRight, area_.height());
  painter_.drawText(QPointF(area_.center().x() - metrics.horizontalAdvance(x) / 2,
                            place_.bottom() - metrics.descent() - 2),
                    x);
  painter_.save();
  painter_.translate(place_.left() + metrics.ascent(),
                     area_.center().y() + metrics.horizontalAdvance(y) / 2);
  painter_.rotate(-90);
  painter_.drawText(QPointF(0, 0), y);
  painter_.restore();
}

CurveLines::Line PlotPainter::toPixels(const std::vector<QPointF>& points) const {
  const PixelMap x = toX(), y = toY();
  CurveLines::Line line;
  line.reserve(points.size());
  for (const QPointF& point : points)
    line.push_back({rounded(x(point.x())), rounded(y(point.y()))});
  return line;
}

CurveLines::Line PlotPainter::shown(CurveLines::Line points) const {
  // QRectF::contains() holds for a y that is not a number.
  std::erase_if(points, [this](const QPointF& point) {
    return !std::isfinite(point.y()) || !clip().contains(point);
  });
  return points;
}

CurveLines PlotPainter::linesOf(std::size_t index) const {
  const FigureCurve& each = plot_.curves[index];
  const bool isSmoothed = !each.samples.smooth.empty();
  const LinePens pens = linePens(each.curve, isSmoothed, theme_);
  CurveLines lines;
  lines.rawPen = pens.raw;
  lines.smoothPen = pens.smooth;
  if (!isSmoothed || !isCrowd(plot_.styles())) lines.raw = toPixels(each.samples.raw);
  lines.smooth = toPixels(each.samples.smooth);
  for (const CurveLines::Band& band : bandsAt(plot_, index))
    lines.bands.push_back({toPixels(band.top), toPixels(band.bottom), band.color});
  return lines;
}

void PlotPainter::paintLines() {
  std::vector<CurveLines> lines;
  for (std::size_t i = 0; i < plot_.curves.size(); ++i) lines.push_back(linesOf(i));
  if (painter_.device()->devType() != QInternal::Image) return drawVector(&painter_, lines);
  // QPainter takes seconds for thousands of points in wide or dashed lines.
  const QRect area = clip().toAlignedRect();
  const QImage picture = pictureOf(lines, area, painter_.transform().m11());
  // Its coordinates are of the middle of a pixel.
  painter_.drawImage(QRectF(area).translated(-0.5, -0.5), picture);
}

/// Markers of evaluations, points without neighbours, values that are not finite, and the lowest.
void PlotPainter::paintMarks(const FigureCurve& each) {
  const QColor color = curveColor(each.curve, theme_);
  const CurveLines::Line raw = toPixels(each.samples.raw);
  const auto isEvaluation = each.curve.kind == Curve::Kind::Evaluation;
  if (isEvaluation && area_.width() / static_cast<double>(raw.size() + 1) >= kMarkerGapPx)
    for (const QPointF& point : shown(raw))
      paintMarker(painter_, each.curve, color, point, theme_.card);
  painter_.setPen(Qt::NoPen);
  painter_.setBrush(color);
  if (!isEvaluation)
    for (const QPointF& point : shown(isolatedPoints(raw)))
      painter_.drawEllipse(point, kDotPx, kDotPx);
  painter_.setBrush(Qt::NoBrush);
  painter_.setPen(QPen(theme_.error, 1.8));
  for (const QPointF& point : shown(toPixels(each.samples.nonFinite))) {
    painter_.drawLine(point - QPointF(kCrossPx, kCrossPx), point + QPointF(kCrossPx, kCrossPx));
    painter_.drawLine(point - QPointF(kCrossPx, -kCrossPx), point + QPointF(kCrossPx, -kCrossPx));
  }
  if (!each.curve.markLowest || !each.lowest) return;
  for (const QPointF& point : shown(toPixels({{each.lowest->x, each.lowest->value}})))
    paintRing(point, isOneRun() ? theme_.good : color);
}

}  // namespace

void paintPlot(QPainter& painter, const FigurePlot& plot, const QRectF& place) {
  PlotPainter(painter, plot, place).paint();
}

}  // namespace lockstep::widgets
