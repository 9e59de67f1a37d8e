#include "widgets/plots/curve_layers.h"

#include <qcustomplot.h>

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>

#include "widgets/curves/free_place.h"
#include "widgets/curves/number_text.h"
#include "widgets/curves/polyline.h"
#include "widgets/curves/shaded_gap.h"
#include "widgets/plots/curve_pen.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr double kRawLinePx = 1.4, kIsolatedPointPx = 5, kMarkGapPx = 9, kMarkFromEdgePx = 4,
                 kMarkHeightPx = 8;

QString tr(const char* text) { return QCoreApplication::translate("CurvePlot", text); }

QColor withAlpha(QColor color, int alpha) {
  color.setAlpha(alpha);
  return color;
}

void setPoints(QCPGraph* graph, const std::vector<QPointF>& points) {
  QVector<QCPGraphData> data;
  data.reserve(static_cast<qsizetype>(points.size()));
  for (const QPointF& point : points) data.append({point.x(), point.y()});
  graph->data()->set(data, true);
}

/// A small caret: there are points above.
QCPScatterStyle aboveMarker(const QColor& color) {
  QPainterPath caret({-3, 1.5});
  caret.lineTo(0, -1.5);
  caret.lineTo(3, 1.5);
  return {caret, QPen(color, 1.4), Qt::NoBrush, 8};
}

QCPScatterStyle evaluationMarker(int styleIndex, const QColor& color, const QColor& background,
                                 double sizePx) {
  static constexpr QCPScatterStyle::ScatterShape kShapes[] = {
      QCPScatterStyle::ssCircle, QCPScatterStyle::ssSquare, QCPScatterStyle::ssDiamond,
      QCPScatterStyle::ssTriangle};
  return {kShapes[std::max(styleIndex, 0) % 4], QPen(color, 1.6), QBrush(background), sizePx};
}

/// "lowest", not "best": the best checkpoint is chosen by evaluation.best_metric.
QString lowestText(const CurveReading& lowest, const QString& valueName, XAxis axis) {
  const QString text = axis == XAxis::Step ? tr("lowest %1 at step %2") : tr("lowest %1, step %2");
  const QString value = valueText(lowest.value);
  return text.arg(valueName.isEmpty() ? value : valueName + QLatin1Char(' ') + value)
      .arg(lowest.step);
}

bool isOfSeveralRuns(const std::vector<Curve>& curves) {
  return std::any_of(curves.begin(), curves.end(),
                     [&](const Curve& curve) { return curve.run != curves.front().run; });
}

}  // namespace

struct CurveLayers::CurveGraphs {
  QCPGraph* raw = nullptr;
  QCPGraph* smooth = nullptr;
  QCPGraph* isolated = nullptr;
  QCPGraph* nonFinite = nullptr;
  QCPGraph* gapTop[ShadedGap::kIntervals] = {};
  QCPGraph* gapBottom[ShadedGap::kIntervals] = {};
  ShadedGap gap;
  QCPGraph* lowest = nullptr;
  int pointCount = 0;
  int rawCount = 0;
};

struct CurveLayers::Impl {
  QCustomPlot* plot = nullptr;
  QCPGraph* marks = nullptr;
  QCPGraph* above = nullptr;
  QCPItemText* label = nullptr;  ///< at the lowest point of the first curve with markLowest
  std::vector<CurveGraphs> curves;
};

CurveLayers::CurveLayers(QCustomPlot* plot) : impl_(std::make_unique<Impl>()) {
  impl_->plot = plot;
}
CurveLayers::~CurveLayers() = default;

void CurveLayers::rebuild(const std::vector<Curve>& curves, const Theme& theme) {
  impl_->plot->clearItems();
  impl_->plot->clearGraphs();
  impl_->curves.assign(curves.size(), {});
  // The first curve is drawn last, on top of the others.
  const bool isOneRun = !isOfSeveralRuns(curves);
  for (std::size_t i = curves.size(); i-- > 0;) {
    // With several runs the ring has the colour of its run.
    const QColor lowestColor = isOneRun ? theme.good : runStyle(curves[i].styleIndex, theme).color;
    buildCurve(curves[i], impl_->curves[i], theme, lowestColor);
  }
  const auto labelled = std::find_if(curves.begin(), curves.end(),
                                     [](const Curve& curve) { return curve.markLowest; });
  if (labelled != curves.end())
    buildLabel(isOneRun ? theme.good : runStyle(labelled->styleIndex, theme).color);
  impl_->marks = impl_->plot->addGraph();
  impl_->marks->setLineStyle(QCPGraph::lsNone);
  impl_->marks->setScatterStyle(
      {QCPScatterStyle::ssTriangle, QPen(theme.textFaint, 1), QBrush(theme.textFaint), 6});
  impl_->above = impl_->plot->addGraph();
  impl_->above->setLineStyle(QCPGraph::lsNone);
  impl_->above->setScatterStyle(aboveMarker(theme.textMuted));
}

void CurveLayers::buildCurve(const Curve& curve, CurveGraphs& graphs, const Theme& theme,
                             const QColor& lowestColor) {
  QCustomPlot* plot = impl_->plot;
  if (curve.gapTo >= 0) {
    const QColor runColor = runStyle(curve.styleIndex, theme).color;
    for (const auto interval : {ShadedGap::UntilLowest, ShadedGap::SinceLowest}) {
      graphs.gapBottom[interval] = plot->addGraph();
      graphs.gapBottom[interval]->setPen(Qt::NoPen);
      graphs.gapTop[interval] = plot->addGraph();
      graphs.gapTop[interval]->setPen(Qt::NoPen);
      graphs.gapTop[interval]->setBrush(interval == ShadedGap::UntilLowest
                                            ? withAlpha(runColor, 26)
                                            : withAlpha(theme.warning, 48));
      graphs.gapTop[interval]->setChannelFillGraph(graphs.gapBottom[interval]);
    }
  }
  graphs.raw = plot->addGraph();
  graphs.smooth = plot->addGraph();
  graphs.smooth->setPen(curvePen(curve, theme));
  if (curve.kind == Curve::Kind::Evaluation) {
    graphs.raw->setPen(curvePen(curve, theme));
  } else {
    graphs.isolated = plot->addGraph();
    graphs.isolated->setLineStyle(QCPGraph::lsNone);
    const QColor color = curveColor(curve, theme);
    graphs.isolated->setScatterStyle(
        {QCPScatterStyle::ssDisc, QPen(color, 1), QBrush(color), kIsolatedPointPx});
  }
  graphs.nonFinite = plot->addGraph();
  graphs.nonFinite->setLineStyle(QCPGraph::lsNone);
  graphs.nonFinite->setScatterStyle(
      {QCPScatterStyle::ssCross, QPen(theme.error, 1.8), Qt::NoBrush, 8});
  if (!curve.markLowest) return;
  graphs.lowest = plot->addGraph();
  graphs.lowest->setLineStyle(QCPGraph::lsNone);
  graphs.lowest->setScatterStyle(
      {QCPScatterStyle::ssCircle, QPen(lowestColor, 2), Qt::NoBrush, 13});
}

void CurveLayers::buildLabel(const QColor& color) {
  QCPItemText* label = impl_->label = new QCPItemText(impl_->plot);
  label->setFont(interfaceFont(12, QFont::DemiBold));
  label->setColor(color);
  label->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
  label->position->setType(QCPItemPosition::ptAbsolute);
  label->setLayer(QStringLiteral("axes"));
  label->setClipToAxisRect(false);
  label->setVisible(false);
}

void CurveLayers::fill(const std::vector<Curve>& curves, const std::vector<CurveSamples>& samples,
                       std::size_t columns) {
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const Curve& curve = curves[i];
    CurveGraphs& graphs = impl_->curves[i];
    styleLine(curve, graphs, samples[i], columns);
    setPoints(graphs.raw, samples[i].raw);
    setPoints(graphs.smooth, samples[i].smooth);
    if (graphs.isolated)
      setPoints(graphs.isolated,
                isolatedPoints(samples[i].smooth.empty() ? samples[i].raw : samples[i].smooth));
    setPoints(graphs.nonFinite, samples[i].nonFinite);
    graphs.rawCount = static_cast<int>(samples[i].raw.size());
    graphs.pointCount = static_cast<int>(samples[i].raw.size() + samples[i].smooth.size());
    if (curve.gapTo >= 0 && curve.gapTo < static_cast<int>(curves.size()))
      fillGap(curve, graphs, samples[i], samples[curve.gapTo]);
  }
}

/// The style of a curve depends on whether it is smoothed and on the distance of its points.
void CurveLayers::styleLine(const Curve& curve, CurveGraphs& graphs, const CurveSamples& samples,
                            std::size_t columns) {
  const Theme& theme = currentTheme();
  const bool smoothed = !samples.smooth.empty();
  QPen pen = curvePen(curve, theme);
  if (curve.kind == Curve::Kind::Line) {
    if (smoothed) {
      graphs.raw->setPen(QPen(withAlpha(pen.color(), theme.isDark ? 84 : 96), 1));
    } else {
      pen.setWidthF(kRawLinePx);  // thin, because a noisy thick line would be a filled area
      graphs.raw->setPen(pen);
    }
  } else {
    // Markers shrink before they touch; below 4 px there are none.
    const double spacingPx =
        impl_->plot->axisRect()->width() / std::max<double>(1, samples.raw.size());
    const double sizePx = std::clamp(spacingPx * 0.6, 3.5, 6.5);
    const QColor background = isFilled(curve) ? pen.color() : theme.card;
    graphs.raw->setScatterStyle(
        spacingPx < 4 ? QCPScatterStyle(QCPScatterStyle::ssNone)
                      : evaluationMarker(curve.styleIndex, pen.color(), background, sizePx));
  }
  // With several points per pixel column the lines are vertical: antialiasing would only cost time.
  const bool dense = samples.raw.size() > columns + 1;
  graphs.raw->setAntialiased(!dense || !smoothed);
}

void CurveLayers::fillGap(const Curve& curve, CurveGraphs& graphs, const CurveSamples& own,
                          const CurveSamples& other) {
  const auto lowest = curve.source ? curve.source->lowest() : std::nullopt;
  graphs.gap = shadedGap(own, other, lowest ? std::optional(lowest->x) : std::nullopt);
  for (const auto interval : {ShadedGap::UntilLowest, ShadedGap::SinceLowest}) {
    setPoints(graphs.gapTop[interval], graphs.gap.bands[interval].top);
    setPoints(graphs.gapBottom[interval], graphs.gap.bands[interval].bottom);
  }
}

QString CurveLayers::shadingAt(const std::vector<Curve>& curves, double x, double y) const {
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const auto interval = impl_->curves[i].gap.intervalAt(x, y);
    if (!interval) continue;
    const QString &own = curves[i].name, &other = curves[curves[i].gapTo].name;
    return interval == ShadedGap::UntilLowest
               ? tr("shaded: between %1 and %2").arg(other, own)
               : tr("shaded: %1 above %2 since its minimum").arg(own, other);
  }
  return {};
}

/// Leaves out marks that would touch the previous one.
void CurveLayers::placeMarks(QCPGraph* graph, const std::vector<double>& xs, double yPx) {
  const double y = impl_->plot->yAxis->pixelToCoord(yPx);
  std::vector<QPointF> points;
  double lastPx = -std::numeric_limits<double>::infinity();
  for (const double x : xs) {
    const double px = impl_->plot->xAxis->coordToPixel(x);
    if (px - lastPx < kMarkGapPx) continue;
    points.push_back({x, y});
    lastPx = px;
  }
  setPoints(graph, points);
}

void CurveLayers::place(const std::vector<Curve>& curves, const std::vector<EventMark>& marks,
                        const std::vector<double>& placesAbove, XAxis axis) {
  const QCPAxisRect* rect = impl_->plot->axisRect();
  std::vector<double> events;
  for (const EventMark& mark : marks) events.push_back(mark.x);
  std::sort(events.begin(), events.end());
  placeMarks(impl_->marks, events, rect->bottom() - kMarkFromEdgePx);
  placeMarks(impl_->above, placesAbove, rect->top() + kMarkFromEdgePx);
  const Curve* labelled = nullptr;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (!curves[i].markLowest) continue;
    if (!labelled) labelled = &curves[i];
    const auto lowest = curves[i].source ? curves[i].source->lowest() : std::nullopt;
    setPoints(impl_->curves[i].lowest,
              lowest ? std::vector<QPointF>{{lowest->x, lowest->value}} : std::vector<QPointF>());
  }
  if (labelled) placeLabel(*labelled, axis);
}

QPointF CurveLayers::toPixel(double x, double y) const {
  return {impl_->plot->xAxis->coordToPixel(x), impl_->plot->yAxis->coordToPixel(y)};
}

std::vector<std::vector<QPointF>> CurveLayers::drawnLines() const {
  std::vector<std::vector<QPointF>> lines;
  for (const CurveGraphs& graphs : impl_->curves) {
    for (const QCPGraph* graph : {graphs.raw, graphs.smooth}) {
      std::vector<QPointF>& line = lines.emplace_back();
      for (const QCPGraphData& point : *graph->data())
        line.push_back(toPixel(point.key, point.value));
    }
  }
  return lines;
}

/// Hides the label if it would cover a curve: the cursor's readings show the same.
void CurveLayers::placeLabel(const Curve& curve, XAxis axis) {
  QCPItemText* label = impl_->label;
  label->setVisible(false);
  const auto lowest = curve.source ? curve.source->lowest() : std::nullopt;
  if (!lowest) return;
  const QPointF point = toPixel(lowest->x, lowest->value);
  const QRectF area = QRectF(impl_->plot->axisRect()->rect());
  if (!area.contains(point)) return;
  const QFontMetricsF metrics(label->font());
  const std::vector<std::vector<QPointF>> lines = drawnLines();
  for (const QString& name : {curve.valueName, QString()}) {  // without it where there is no room
    const QString text = lowestText(*lowest, name, axis);
    const auto place = freePlace(point, {metrics.horizontalAdvance(text), metrics.height()},
                                 area.adjusted(2, kMarkHeightPx, -2, -kMarkHeightPx), lines);
    if (!place) continue;
    label->setText(text);
    label->position->setCoords(place->topLeft());
    label->setVisible(true);
    return;
  }
}

int CurveLayers::maxPointCount() const {
  int max = 0;
  for (const CurveGraphs& graphs : impl_->curves) max = std::max(max, graphs.rawCount);
  return max;
}

int CurveLayers::pointCount(int curve) const { return impl_->curves[curve].pointCount; }

}  // namespace lockstep::widgets
