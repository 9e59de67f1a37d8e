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

constexpr double kRawLinePx = 1.4, kLonePointPx = 5, kMarkGapPx = 9, kMarkFromEdgePx = 4,
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

/// A small roof: there is more above.
QCPScatterStyle aboveMarker(const QColor& color) {
  QPainterPath roof({-3, 1.5});
  roof.lineTo(0, -1.5);
  roof.lineTo(3, 1.5);
  return {roof, QPen(color, 1.4), Qt::NoBrush, 8};
}

QCPScatterStyle evaluationMarker(int styleIndex, const QColor& color, const QColor& ground,
                                 double sizePx) {
  static constexpr QCPScatterStyle::ScatterShape kShapes[] = {
      QCPScatterStyle::ssCircle, QCPScatterStyle::ssSquare, QCPScatterStyle::ssDiamond,
      QCPScatterStyle::ssTriangle};
  return {kShapes[std::max(styleIndex, 0) % 4], QPen(color, 1.6), QBrush(ground), sizePx};
}

/// Held-out losses have a lowest; which evaluation is the best is for another figure to say.
QString lowestText(const CurveReading& lowest, XAxis axis) {
  const QString text = axis == XAxis::Step ? tr("lowest %1 at step %2") : tr("lowest %1, step %2");
  return text.arg(valueText(lowest.value)).arg(lowest.step);
}

bool isOfSeveralRuns(const std::vector<Curve>& curves) {
  return std::any_of(curves.begin(), curves.end(),
                     [&](const Curve& curve) { return curve.run != curves.front().run; });
}

}  // namespace

struct CurveLayers::CurveParts {
  QCPGraph* raw = nullptr;
  QCPGraph* smooth = nullptr;
  QCPGraph* lone = nullptr;
  QCPGraph* nonFinite = nullptr;
  QCPGraph* gapTop[ShadedGap::kParts] = {};
  QCPGraph* gapBottom[ShadedGap::kParts] = {};
  ShadedGap gap;
  QCPGraph* lowest = nullptr;
  int pointCount = 0;
  int rawCount = 0;
};

struct CurveLayers::Parts {
  QCustomPlot* plot = nullptr;
  QCPGraph* marks = nullptr;
  QCPGraph* above = nullptr;
  QCPItemText* label = nullptr;  ///< of the lowest point of the first curve that marks its own
  std::vector<CurveParts> curves;
};

CurveLayers::CurveLayers(QCustomPlot* plot) : parts_(std::make_unique<Parts>()) {
  parts_->plot = plot;
}
CurveLayers::~CurveLayers() = default;

void CurveLayers::rebuild(const std::vector<Curve>& curves, const Theme& theme) {
  parts_->plot->clearItems();
  parts_->plot->clearGraphs();
  parts_->curves.assign(curves.size(), {});
  // The first curve leads: it is drawn last and lies over the others.
  const bool isOneRun = !isOfSeveralRuns(curves);
  for (std::size_t i = curves.size(); i-- > 0;) {
    // Of several runs each has its own colour for it: so nobody need be named.
    const QColor lowestColor = isOneRun ? theme.good : runStyle(curves[i].styleIndex, theme).color;
    buildCurve(curves[i], parts_->curves[i], theme, lowestColor);
  }
  const auto labelled = std::find_if(curves.begin(), curves.end(),
                                     [](const Curve& curve) { return curve.markLowest; });
  if (labelled != curves.end())
    buildLabel(isOneRun ? theme.good : runStyle(labelled->styleIndex, theme).color);
  parts_->marks = parts_->plot->addGraph();
  parts_->marks->setLineStyle(QCPGraph::lsNone);
  parts_->marks->setScatterStyle(
      {QCPScatterStyle::ssTriangle, QPen(theme.textFaint, 1), QBrush(theme.textFaint), 6});
  parts_->above = parts_->plot->addGraph();
  parts_->above->setLineStyle(QCPGraph::lsNone);
  parts_->above->setScatterStyle(aboveMarker(theme.textMuted));
}

void CurveLayers::buildCurve(const Curve& curve, CurveParts& parts, const Theme& theme,
                             const QColor& lowestColor) {
  QCustomPlot* plot = parts_->plot;
  if (curve.gapTo >= 0) {
    const QColor runColor = runStyle(curve.styleIndex, theme).color;
    for (const auto part : {ShadedGap::UntilLowest, ShadedGap::SinceLowest}) {
      parts.gapBottom[part] = plot->addGraph();
      parts.gapBottom[part]->setPen(Qt::NoPen);
      parts.gapTop[part] = plot->addGraph();
      parts.gapTop[part]->setPen(Qt::NoPen);
      parts.gapTop[part]->setBrush(part == ShadedGap::UntilLowest ? withAlpha(runColor, 26)
                                                                  : withAlpha(theme.warning, 48));
      parts.gapTop[part]->setChannelFillGraph(parts.gapBottom[part]);
    }
  }
  parts.raw = plot->addGraph();
  parts.smooth = plot->addGraph();
  parts.smooth->setPen(curvePen(curve, theme));
  if (curve.kind == Curve::Kind::Evaluation) {
    parts.raw->setPen(curvePen(curve, theme));
  } else {
    parts.lone = plot->addGraph();
    parts.lone->setLineStyle(QCPGraph::lsNone);
    const QColor color = curveColor(curve, theme);
    parts.lone->setScatterStyle(
        {QCPScatterStyle::ssDisc, QPen(color, 1), QBrush(color), kLonePointPx});
  }
  parts.nonFinite = plot->addGraph();
  parts.nonFinite->setLineStyle(QCPGraph::lsNone);
  parts.nonFinite->setScatterStyle(
      {QCPScatterStyle::ssCross, QPen(theme.error, 1.8), Qt::NoBrush, 8});
  if (!curve.markLowest) return;
  parts.lowest = plot->addGraph();
  parts.lowest->setLineStyle(QCPGraph::lsNone);
  parts.lowest->setScatterStyle({QCPScatterStyle::ssCircle, QPen(lowestColor, 2), Qt::NoBrush, 13});
}

void CurveLayers::buildLabel(const QColor& color) {
  QCPItemText* label = parts_->label = new QCPItemText(parts_->plot);
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
    CurveParts& parts = parts_->curves[i];
    styleLine(curve, parts, samples[i], columns);
    setPoints(parts.raw, samples[i].raw);
    setPoints(parts.smooth, samples[i].smooth);
    if (parts.lone)
      setPoints(parts.lone,
                lonePoints(samples[i].smooth.empty() ? samples[i].raw : samples[i].smooth));
    setPoints(parts.nonFinite, samples[i].nonFinite);
    parts.rawCount = static_cast<int>(samples[i].raw.size());
    parts.pointCount = static_cast<int>(samples[i].raw.size() + samples[i].smooth.size());
    if (curve.gapTo >= 0 && curve.gapTo < static_cast<int>(curves.size()))
      fillGap(curve, parts, samples[i], samples[curve.gapTo]);
  }
}

/// How a curve is drawn depends on whether it is smoothed and on how near its points lie.
void CurveLayers::styleLine(const Curve& curve, CurveParts& parts, const CurveSamples& samples,
                            std::size_t columns) {
  const Theme& theme = currentTheme();
  const bool smoothed = !samples.smooth.empty();
  QPen pen = curvePen(curve, theme);
  if (curve.kind == Curve::Kind::Line) {
    if (smoothed) {
      parts.raw->setPen(QPen(withAlpha(pen.color(), theme.isDark ? 84 : 96), 1));
    } else {
      pen.setWidthF(kRawLinePx);  // it goes up and down: a thick one would hide itself
      parts.raw->setPen(pen);
    }
  } else {
    // Markers that would touch are smaller; at last the line alone is left.
    const double spacingPx =
        parts_->plot->axisRect()->width() / std::max<double>(1, samples.raw.size());
    const double sizePx = std::clamp(spacingPx * 0.6, 3.5, 6.5);
    const QColor ground = isFilled(curve) ? pen.color() : theme.card;
    parts.raw->setScatterStyle(
        spacingPx < 4 ? QCPScatterStyle(QCPScatterStyle::ssNone)
                      : evaluationMarker(curve.styleIndex, pen.color(), ground, sizePx));
  }
  // Where several points share a column, lines are upright anyhow: smoothed edges would only cost
  // time.
  const bool dense = samples.raw.size() > columns + 1;
  parts.raw->setAntialiased(!dense || !smoothed);
}

void CurveLayers::fillGap(const Curve& curve, CurveParts& parts, const CurveSamples& own,
                          const CurveSamples& other) {
  const auto lowest = curve.source ? curve.source->lowest() : std::nullopt;
  parts.gap = shadedGap(own, other, lowest ? std::optional(lowest->x) : std::nullopt);
  for (const auto part : {ShadedGap::UntilLowest, ShadedGap::SinceLowest}) {
    setPoints(parts.gapTop[part], parts.gap.bands[part].top);
    setPoints(parts.gapBottom[part], parts.gap.bands[part].bottom);
  }
}

QString CurveLayers::shadingAt(const std::vector<Curve>& curves, double x, double y) const {
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const auto part = parts_->curves[i].gap.partAt(x, y);
    if (!part) continue;
    const QString &own = curves[i].name, &other = curves[curves[i].gapTo].name;
    return part == ShadedGap::UntilLowest
               ? tr("shaded: between %1 and %2").arg(other, own)
               : tr("shaded: %1 above %2 since its minimum").arg(own, other);
  }
  return {};
}

/// Those that would touch the one before are left out.
void CurveLayers::placeMarks(QCPGraph* graph, const std::vector<double>& xs, double yPx) {
  const double y = parts_->plot->yAxis->pixelToCoord(yPx);
  std::vector<QPointF> points;
  double lastPx = -std::numeric_limits<double>::infinity();
  for (const double x : xs) {
    const double px = parts_->plot->xAxis->coordToPixel(x);
    if (px - lastPx < kMarkGapPx) continue;
    points.push_back({x, y});
    lastPx = px;
  }
  setPoints(graph, points);
}

void CurveLayers::place(const std::vector<Curve>& curves, const std::vector<EventMark>& marks,
                        const std::vector<double>& placesAbove, XAxis axis) {
  const QCPAxisRect* rect = parts_->plot->axisRect();
  std::vector<double> events;
  for (const EventMark& mark : marks) events.push_back(mark.x);
  std::sort(events.begin(), events.end());
  placeMarks(parts_->marks, events, rect->bottom() - kMarkFromEdgePx);
  placeMarks(parts_->above, placesAbove, rect->top() + kMarkFromEdgePx);
  const Curve* labelled = nullptr;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (!curves[i].markLowest) continue;
    if (!labelled) labelled = &curves[i];
    const auto lowest = curves[i].source ? curves[i].source->lowest() : std::nullopt;
    setPoints(parts_->curves[i].lowest,
              lowest ? std::vector<QPointF>{{lowest->x, lowest->value}} : std::vector<QPointF>());
  }
  if (labelled) placeLabel(*labelled, axis);
}

QPointF CurveLayers::toPixel(double x, double y) const {
  return {parts_->plot->xAxis->coordToPixel(x), parts_->plot->yAxis->coordToPixel(y)};
}

std::vector<std::vector<QPointF>> CurveLayers::drawnLines() const {
  std::vector<std::vector<QPointF>> lines;
  for (const CurveParts& parts : parts_->curves) {
    for (const QCPGraph* graph : {parts.raw, parts.smooth}) {
      std::vector<QPointF>& line = lines.emplace_back();
      for (const QCPGraphData& point : *graph->data())
        line.push_back(toPixel(point.key, point.value));
    }
  }
  return lines;
}

/// Where it would cover a curve it is left out: the readings tell it too.
void CurveLayers::placeLabel(const Curve& curve, XAxis axis) {
  QCPItemText* label = parts_->label;
  label->setVisible(false);
  const auto lowest = curve.source ? curve.source->lowest() : std::nullopt;
  if (!lowest) return;
  const QPointF point = toPixel(lowest->x, lowest->value);
  const QRectF area = QRectF(parts_->plot->axisRect()->rect());
  if (!area.contains(point)) return;
  const QString text = lowestText(*lowest, axis);
  const QFontMetricsF metrics(label->font());
  const auto place = freePlace(point, {metrics.horizontalAdvance(text), metrics.height()},
                               area.adjusted(2, kMarkHeightPx, -2, -kMarkHeightPx), drawnLines());
  if (!place) return;
  label->setText(text);
  label->position->setCoords(place->topLeft());
  label->setVisible(true);
}

int CurveLayers::greatestPointCount() const {
  int greatest = 0;
  for (const CurveParts& parts : parts_->curves) greatest = std::max(greatest, parts.rawCount);
  return greatest;
}

int CurveLayers::pointCount(int curve) const { return parts_->curves[curve].pointCount; }

}  // namespace lockstep::widgets
