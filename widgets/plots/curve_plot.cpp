#include "widgets/plots/curve_plot.h"

#include <qcustomplot.h>

#include <QEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/curves/value_range.h"
#include "widgets/plots/axis_ticks.h"
#include "widgets/plots/cursor_readings.h"
#include "widgets/plots/curve_layers.h"
#include "widgets/plots/picture_export.h"
#include "widgets/plots/plot_overlay.h"
#include "widgets/theme.h"
#include "widgets/throttle.h"

namespace lockstep::widgets {
namespace {

constexpr double kRoomAtTheEndPx = 9, kMarkReachPx = 4;
constexpr int kXTickPx = 72, kYTickPx = 42;
// Fixed, so that a longer label does not shake a plot that is growing.
constexpr QMargins kMarginsPx(54, 6, 16, 24);

using Range = std::pair<double, double>;

/// Whether a zoom shows all there is: then it is none.
bool covers(Range view, Range limits) {
  const double slack = 1e-9 * (limits.second - limits.first);
  return view.first <= limits.first + slack && view.second >= limits.second - slack;
}

/// `factor` times as wide a range around a value that keeps its place.
Range zoomed(const QCPAxis* axis, double centre, double factor) {
  const QCPRange now = axis->range();
  if (axis->scaleType() == QCPAxis::stLogarithmic)
    return {centre * std::pow(now.lower / centre, factor),
            centre * std::pow(now.upper / centre, factor)};
  return {centre + (now.lower - centre) * factor, centre + (now.upper - centre) * factor};
}

}  // namespace

struct CurvePlot::Parts {
  QCustomPlot* plot = nullptr;
  PlotOverlay* overlay = nullptr;
  std::unique_ptr<CurveLayers> layers;
  Throttle throttle{std::chrono::milliseconds(40)};
  std::vector<Curve> curves;
  std::vector<EventMark> marks;
  XAxis axis = XAxis::Step;
  bool logX = false, logY = false, ignoreOutliers = true, upToDate = false, drawing = false;
  std::optional<double> yLeast, yMost;
  std::optional<Range> xZoom, yZoom, xExtent;
  std::vector<double> placesAbove;  ///< x of what ignoring outliers leaves out, rising
  std::optional<double> cursor;
  bool withReadings = false;
  QPointF pointer;

  std::optional<Range> fullX() const;
  std::vector<double> columnEdges(Range view) const;
  std::vector<CurveSamples> samplesOf(const std::vector<double>& edges) const;
  Range viewX() const;
  Range valuesIn(Range view, const std::vector<CurveSamples>& drawn, bool withOutliers) const;
  void setZoomX(Range wanted);
  void setZoomY(Range wanted);
  void placeCursor();
  QStringList notesAt(double x, double xPx) const;
};

std::optional<Range> CurvePlot::Parts::fullX() const {
  std::optional<Range> full = xExtent;
  for (const Curve& curve : curves) {
    if (!curve.source || curve.source->isEmpty()) continue;
    const Range own = curve.source->xRange();
    full = full ? Range(std::min(full->first, own.first), std::max(full->second, own.second)) : own;
  }
  if (!full) return full;
  if (logX) {
    full->first = std::max(full->first, axis == XAxis::Step ? 1.0 : 1e-2);
    full->second = std::max(full->second, full->first * 10);
  } else if (full->first == full->second) {
    full = Range(full->first - 0.5, full->second + 0.5);
  } else if (axis == XAxis::Step && full->first == 1) {
    full->first = 0;  // training begins before step 1
  }
  // Room for the marker of the last point.
  const double room = kRoomAtTheEndPx / std::max(40, plot->width());
  full->second += logX ? full->second * (std::pow(full->second / full->first, room) - 1)
                       : (full->second - full->first) * room;
  return full;
}

std::vector<double> CurvePlot::Parts::columnEdges(Range view) const {
  const int columns = std::max(2, plot->width() - kMarginsPx.left() - kMarginsPx.right());
  std::vector<double> edges(columns + 1);
  for (int i = 0; i <= columns; ++i) {
    const double part = static_cast<double>(i) / columns;
    edges[i] = logX ? view.first * std::pow(view.second / view.first, part)
                    : view.first + (view.second - view.first) * part;
  }
  return edges;
}

std::vector<CurveSamples> CurvePlot::Parts::samplesOf(const std::vector<double>& edges) const {
  std::vector<CurveSamples> samples(curves.size());
  for (std::size_t i = 0; i < curves.size(); ++i)
    if (curves[i].source && !curves[i].source->isEmpty())
      samples[i] = curves[i].source->sample(edges);
  return samples;
}

/// What is in view: the zoom as far as there are points (another run, or one that was cut, may have
/// none there), else everything.
Range CurvePlot::Parts::viewX() const {
  const Range all = fullX().value_or(Range(logX ? 1 : 0, logX ? 10 : 1));
  const bool hasPoints = xZoom && xZoom->first < all.second && xZoom->second > all.first;
  return hasPoints ? *xZoom : all;
}

Range CurvePlot::Parts::valuesIn(Range view, const std::vector<CurveSamples>& drawn,
                                 bool withOutliers) const {
  const ValueRangeOptions options{ignoreOutliers && !withOutliers, logY, yLeast, yMost};
  return valueRange(curves, drawn, view.first, view.second, options);
}

void CurvePlot::Parts::setZoomX(Range wanted) {
  const auto all = fullX();
  if (!all) return;
  xZoom = rangeWithin(wanted, *all, logX);
  if (covers(*xZoom, *all)) xZoom.reset();
}

/// Within all values of what is in view, those that are left out as outliers too.
void CurvePlot::Parts::setZoomY(Range wanted) {
  const Range view = viewX();
  const std::vector<CurveSamples> drawn = samplesOf(columnEdges(view));
  const Range usual = valuesIn(view, drawn, false), all = valuesIn(view, drawn, true);
  const Range limits(std::min(usual.first, all.first), std::max(usual.second, all.second));
  yZoom = rangeWithin(wanted, limits, logY);
  if (covers(*yZoom, limits) && usual == limits) yZoom.reset();
}

CurvePlot::CurvePlot(QWidget* parent) : QWidget(parent), parts_(std::make_unique<Parts>()) {
  buildUi();
  connectSignals();
  applyTheme();
}

CurvePlot::~CurvePlot() = default;

void CurvePlot::buildUi() {
  auto* plot = parts_->plot = new QCustomPlot(this);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(plot);
  parts_->overlay = new PlotOverlay(this);
  parts_->layers = std::make_unique<CurveLayers>(plot);
  plot->axisRect()->setAutoMargins(QCP::msNone);
  plot->axisRect()->setMargins(kMarginsPx);
  setFocusPolicy(Qt::ClickFocus);
  for (QCPAxis* axis : {plot->xAxis, plot->yAxis}) {
    axis->setTickLength(0);
    axis->setSubTickLength(0);
    axis->setBasePen(Qt::NoPen);
    axis->setTickPen(Qt::NoPen);
    axis->setTickLabelPadding(6);
  }
  plot->xAxis->grid()->setVisible(false);
  setXTicks(plot->xAxis, parts_->axis, false);
  setYTicks(plot->yAxis, false);
  setMinimumSize(minimumSizeHint());
}

void CurvePlot::connectSignals() {
  PlotOverlay* overlay = parts_->overlay;
  QCustomPlot* plot = parts_->plot;
  connect(&parts_->throttle, &Throttle::due, this, &CurvePlot::redraw);
  connect(plot, &QCustomPlot::afterReplot, this, [this] {
    if (!parts_->drawing) return;
    parts_->drawing = false;
    parts_->upToDate = !parts_->throttle.isPending();
    parts_->placeCursor();
    Q_EMIT drawn();
  });
  connect(overlay, &PlotOverlay::pointerMoved, this, [this, plot](const QPointF& position) {
    parts_->pointer = position;
    Q_EMIT cursorMoved(plot->xAxis->pixelToCoord(position.x()));
  });
  connect(overlay, &PlotOverlay::pointerLeft, this, [this] { Q_EMIT cursorMoved(std::nullopt); });
  connect(overlay, &PlotOverlay::boxZoomed, this, [this, plot](const QRectF& box) {
    const Range values(plot->yAxis->pixelToCoord(box.bottom()),
                       plot->yAxis->pixelToCoord(box.top()));
    parts_->setZoomX(
        Range(plot->xAxis->pixelToCoord(box.left()), plot->xAxis->pixelToCoord(box.right())));
    if (box.height() < plot->axisRect()->height() - 2) parts_->setZoomY(values);
    redraw();
    Q_EMIT viewChanged();
  });
  connect(overlay, &PlotOverlay::panned, this, [this, plot](const QPointF& delta) {
    const QRect area = plot->axisRect()->rect();
    parts_->setZoomX(Range(plot->xAxis->pixelToCoord(area.left() - delta.x()),
                           plot->xAxis->pixelToCoord(area.left() + area.width() - delta.x())));
    if (delta.y() != 0)
      parts_->setZoomY(Range(plot->yAxis->pixelToCoord(area.top() + area.height() - delta.y()),
                             plot->yAxis->pixelToCoord(area.top() - delta.y())));
    redraw();
    Q_EMIT viewChanged();
  });
  connect(
      overlay, &PlotOverlay::wheelZoomed, this,
      [this, plot](const QPointF& position, double factor) {
        if (position.x() < plot->axisRect()->left()) {
          parts_->setZoomY(zoomed(plot->yAxis, plot->yAxis->pixelToCoord(position.y()), factor));
        } else {
          parts_->setZoomX(zoomed(plot->xAxis, plot->xAxis->pixelToCoord(position.x()), factor));
        }
        redraw();
        Q_EMIT viewChanged();
      });
  connect(overlay, &PlotOverlay::resetRequested, this, &CurvePlot::resetView);
  connect(overlay, &PlotOverlay::menuRequested, this, &CurvePlot::menuRequested);
}

void CurvePlot::applyTheme() {
  const Theme& theme = currentTheme();
  QCustomPlot* plot = parts_->plot;
  plot->setBackground(QBrush(theme.card));
  for (QCPAxis* axis : {plot->xAxis, plot->yAxis}) {
    axis->setTickLabelColor(theme.textMuted);
    axis->setTickLabelFont(monoFont(11));
  }
  plot->yAxis->grid()->setPen(QPen(theme.grid, 1));
  plot->yAxis->grid()->setZeroLinePen(QPen(theme.grid, 1));
  parts_->layers->rebuild(parts_->curves, theme);
  refresh();
}

void CurvePlot::setCurves(std::vector<Curve> curves) {
  parts_->curves = std::move(curves);
  parts_->layers->rebuild(parts_->curves, currentTheme());
  refresh();
}

const std::vector<Curve>& CurvePlot::curves() const { return parts_->curves; }

void CurvePlot::setXAxis(XAxis axis) {
  if (parts_->axis != axis) parts_->xZoom.reset();
  parts_->axis = axis;
  setXTicks(parts_->plot->xAxis, axis, parts_->logX);
  refresh();
}

XAxis CurvePlot::xAxis() const { return parts_->axis; }

void CurvePlot::setXExtent(std::optional<std::pair<double, double>> extent) {
  if (extent == parts_->xExtent) return;
  parts_->xExtent = extent;
  refresh();
}

void CurvePlot::setEventMarks(std::vector<EventMark> marks) {
  parts_->marks = std::move(marks);
  refresh();
}

void CurvePlot::setYLimits(std::optional<double> least, std::optional<double> most) {
  parts_->yLeast = least;
  parts_->yMost = most;
  refresh();
}

void CurvePlot::setLogX(bool log) {
  parts_->logX = log;
  parts_->xZoom.reset();
  setXTicks(parts_->plot->xAxis, parts_->axis, log);
  refresh();
}

void CurvePlot::setLogY(bool log) {
  parts_->logY = log;
  parts_->yZoom.reset();
  setYTicks(parts_->plot->yAxis, log);
  refresh();
}

bool CurvePlot::isLogX() const { return parts_->logX; }
bool CurvePlot::isLogY() const { return parts_->logY; }

void CurvePlot::setIgnoreOutliers(bool ignore) {
  parts_->ignoreOutliers = ignore;
  refresh();
}

bool CurvePlot::isIgnoringOutliers() const { return parts_->ignoreOutliers; }

void CurvePlot::refresh() {
  parts_->upToDate = false;
  parts_->throttle.request();
}

bool CurvePlot::isUpToDate() const { return parts_->upToDate; }

void CurvePlot::redraw() {
  if (!isVisible() || parts_->plot->width() < 10) return;
  QCustomPlot* plot = parts_->plot;
  const QSize area = rect().marginsRemoved(kMarginsPx).size();
  plot->xAxis->ticker()->setTickCount(std::clamp(area.width() / kXTickPx, 2, 10));
  plot->yAxis->ticker()->setTickCount(std::clamp(area.height() / kYTickPx, 2, 8));
  const Range view = parts_->viewX();
  plot->xAxis->setRange(view.first, view.second);
  const std::vector<double> edges = parts_->columnEdges(view);
  const std::vector<CurveSamples> samples = parts_->samplesOf(edges);
  parts_->layers->fill(parts_->curves, samples, edges.size() - 1);
  // One stroke for a path of thousands of crossing segments takes Qt's rasteriser a hundred times
  // longer than segment by segment, which is as good where they are that short.
  plot->setPlottingHint(QCP::phFastPolylines,
                        parts_->layers->greatestPointCount() > static_cast<int>(edges.size()));
  const Range values = parts_->yZoom.value_or(parts_->valuesIn(view, samples, false));
  plot->yAxis->setRange(values.first, values.second);
  // Who zooms knows that there is more.
  parts_->placesAbove = parts_->ignoreOutliers && !parts_->yZoom
                            ? placesAbove(samples, view.first, view.second, values.second)
                            : std::vector<double>();
  parts_->layers->place(parts_->curves, parts_->marks, parts_->placesAbove, parts_->axis);
  parts_->drawing = true;
  plot->replot(QCustomPlot::rpQueuedReplot);
}

void CurvePlot::showCursor(std::optional<double> x, bool withReadings) {
  parts_->cursor = x;
  parts_->withReadings = withReadings;
  parts_->placeCursor();
}

void CurvePlot::Parts::placeCursor() {
  if (!cursor) return overlay->showCursor(std::nullopt, {}, std::nullopt);
  const auto toPixel = [this](double x, double y) {
    return QPointF(plot->xAxis->coordToPixel(x), plot->yAxis->coordToPixel(y));
  };
  CursorReadings at = readingsAt(curves, *cursor, axis, toPixel, pointer, currentTheme());
  const double xPx = plot->xAxis->coordToPixel(*cursor);
  const bool told = withReadings && !at.readings.rows.empty();
  if (told) at.readings.notes = notesAt(*cursor, xPx);
  overlay->showCursor(xPx, std::move(at.dots),
                      told ? std::optional(std::move(at.readings)) : std::nullopt);
}

/// What the marks and the shading under the cursor stand for.
QStringList CurvePlot::Parts::notesAt(double x, double xPx) const {
  const auto isNear = [&](double place) {
    return std::abs(plot->xAxis->coordToPixel(place) - xPx) <= kMarkReachPx;
  };
  QStringList notes;
  if (std::any_of(placesAbove.begin(), placesAbove.end(), isNear)) {
    const QCPRange view = plot->xAxis->range();
    const auto count = pointsAbove(curves, view.lower, view.upper, plot->yAxis->range().upper);
    notes.append((count == 1 ? tr("^ ignoring outliers (O): 1 point above")
                             : tr("^ ignoring outliers (O): %1 points above").arg(count)));
  }
  for (const EventMark& mark : marks)
    if (isNear(mark.x)) notes.append(QStringLiteral("▲ ") + mark.text);
  const QString shading = layers->shadingAt(curves, x, plot->yAxis->pixelToCoord(pointer.y()));
  if (!shading.isEmpty()) notes.append(shading);
  return notes;
}

void CurvePlot::resetView() {
  parts_->xZoom.reset();
  parts_->yZoom.reset();
  redraw();
  Q_EMIT viewChanged();
}

bool CurvePlot::isZoomed() const { return parts_->xZoom || parts_->yZoom; }

std::pair<double, double> CurvePlot::xView() const {
  const QCPRange range = parts_->plot->xAxis->range();
  return {range.lower, range.upper};
}

std::pair<double, double> CurvePlot::yView() const {
  const QCPRange range = parts_->plot->yAxis->range();
  return {range.lower, range.upper};
}

void CurvePlot::setXView(double low, double high) {
  parts_->setZoomX(Range(low, high));
  redraw();
}

int CurvePlot::drawnPointCount(int curve) const { return parts_->layers->pointCount(curve); }

QString CurvePlot::exportPicture(const QString& path) { return exportPlot(parts_->plot, path); }

QSize CurvePlot::sizeHint() const { return {420, 220}; }
QSize CurvePlot::minimumSizeHint() const { return {160, 90}; }

void CurvePlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  parts_->overlay->setGeometry(rect());
  parts_->overlay->setPlotArea(rect().marginsRemoved(kMarginsPx));
  parts_->overlay->raise();
  refresh();
}

void CurvePlot::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void CurvePlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::StyleChange) applyTheme();
}

}  // namespace lockstep::widgets
