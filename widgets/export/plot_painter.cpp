#include "widgets/export/plot_painter.h"

#include <QCoreApplication>
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

namespace lockstep::widgets {
namespace {

constexpr double kTitlePx = 20, kLegendPx = 16, kLeftPx = 66, kRightPx = 10, kBottomPx = 40,
                 kSamplePx = 22, kToNamePx = 5, kBetweenPx = 14, kTickGapPx = 5, kMarkerGapPx = 9,
                 kCrossPx = 4, kRingPx = 6.5, kDotPx = 2.5;
constexpr int kXTickPx = 80, kYTickPx = 30, kMaxLegendLines = 4;

QString tr(const char* text) { return QCoreApplication::translate("Figure", text); }

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
    placeLegend();
  }

  void paint() {
    paintTitle();
    paintLegend();
    paintAxes();
    painter_.save();
    // With room for the width of a line at the border, such as a loss of 0.
    painter_.setClipRect(area_.adjusted(-1, -2, 1, 2));
    paintLines();
    for (std::size_t i = plot_.curves.size(); i-- > 0;) paintMarks(plot_.curves[i]);
    painter_.restore();
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
  CurveLines linesOf(std::size_t index) const;
  CurveLines::Line toPixels(const std::vector<QPointF>& points) const;
  std::vector<Tick> xTicks() const;
  std::vector<Tick> yTicks() const;
  QString lowestText() const;
  bool isOneRun() const { return legend_.empty() || !legend_.front().anyRun; }
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
    const double width = kSamplePx + kToNamePx + metrics.horizontalAdvance(text);
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
  return tr("lowest %1 %2 at step %3")
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
    const bool isCurve = i < legend_.size();
    if (isCurve) {
      paintSample(painter_, legend_[i].curve, legend_[i].pen(theme_), {left, middle}, kSamplePx,
                  theme_.card);
    } else {
      paintRing({left + kSamplePx / 2, middle}, theme_.good);
    }
    painter_.setPen(theme_.text);
    painter_.drawText(QPointF(left + kSamplePx + kToNamePx, middle + metrics.capHeight() / 2),
                      isCurve ? legend_[i].text : lowest_);
  }
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
  for (const QPointF& point : points) line.push_back({x(point.x()), y(point.y())});
  return line;
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
  if (!each.samples.bandLow.empty())
    lines.bands.push_back({toPixels(each.samples.bandHigh), toPixels(each.samples.bandLow),
                           deviationColor(each.curve, theme_)});
  const auto other = static_cast<std::size_t>(each.curve.gapTo);
  if (each.curve.gapTo < 0 || other >= plot_.curves.size()) return lines;
  const ShadedGap gap = shadedGap(each.samples, plot_.curves[other].samples,
                                  each.lowest ? std::optional(each.lowest->x) : std::nullopt);
  for (const auto interval : {ShadedGap::UntilLowest, ShadedGap::SinceLowest})
    lines.bands.push_back({toPixels(gap.bands[interval].top), toPixels(gap.bands[interval].bottom),
                           gapColor(each.curve, interval, theme_)});
  return lines;
}

void PlotPainter::paintLines() {
  std::vector<CurveLines> lines;
  for (std::size_t i = 0; i < plot_.curves.size(); ++i) lines.push_back(linesOf(i));
  drawVector(&painter_, lines);
}

/// Markers of evaluations, points without neighbours, values that are not finite, and the lowest.
void PlotPainter::paintMarks(const FigureCurve& each) {
  const QColor color = curveColor(each.curve, theme_);
  const CurveLines::Line raw = toPixels(each.samples.raw);
  const auto isEvaluation = each.curve.kind == Curve::Kind::Evaluation;
  if (isEvaluation && area_.width() / static_cast<double>(raw.size() + 1) >= kMarkerGapPx)
    for (const QPointF& point : raw)
      if (std::isfinite(point.y())) paintMarker(painter_, each.curve, color, point, theme_.card);
  painter_.setPen(Qt::NoPen);
  painter_.setBrush(color);
  if (!isEvaluation)
    for (const QPointF& point : isolatedPoints(raw)) painter_.drawEllipse(point, kDotPx, kDotPx);
  painter_.setBrush(Qt::NoBrush);
  painter_.setPen(QPen(theme_.error, 1.8));
  for (const QPointF& point : toPixels(each.samples.nonFinite)) {
    painter_.drawLine(point - QPointF(kCrossPx, kCrossPx), point + QPointF(kCrossPx, kCrossPx));
    painter_.drawLine(point - QPointF(kCrossPx, -kCrossPx), point + QPointF(kCrossPx, -kCrossPx));
  }
  if (!each.curve.markLowest || !each.lowest) return;
  paintRing(toPixels({{each.lowest->x, each.lowest->value}}).front(),
            isOneRun() ? theme_.good : color);
}

}  // namespace

void paintPlot(QPainter& painter, const FigurePlot& plot, const QRectF& place) {
  PlotPainter(painter, plot, place).paint();
}

}  // namespace lockstep::widgets
