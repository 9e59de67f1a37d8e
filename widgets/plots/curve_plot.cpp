#include "widgets/plots/curve_plot.h"

#include <qcustomplot.h>

#include <QEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/curves/cursor_readings.h"
#include "widgets/curves/plot_view.h"
#include "widgets/curves/value_range.h"
#include "widgets/plots/axis_ticks.h"
#include "widgets/plots/curve_layers.h"
#include "widgets/plots/curve_pen.h"
#include "widgets/plots/picture_export.h"
#include "widgets/plots/plot_overlay.h"
#include "widgets/theme.h"
#include "widgets/throttle.h"

namespace lockstep::widgets {
namespace {

constexpr double kMarkReachPx = 4;
constexpr int kXTickPx = 72, kYTickPx = 42;
// Fixed, so that a longer label does not shake a plot that is growing.
constexpr QMargins kMarginsPx(54, 6, 16, 24);

Range toRange(const QCPAxis* axis) { return {axis->range().lower, axis->range().upper}; }

}  // namespace

struct CurvePlot::Parts {
  QCustomPlot* plot = nullptr;
  PlotOverlay* overlay = nullptr;
  std::unique_ptr<CurveLayers> layers;
  Throttle throttle{std::chrono::milliseconds(40)};
  PlotView view;
  std::vector<EventMark> marks;
  bool upToDate = false, drawing = false;
  std::vector<double> placesAbove;  ///< x of what ignoring outliers leaves out, rising
  std::optional<double> cursor;
  bool withReadings = false;
  QPointF pointer;

  QPointF toPixel(double x, double y) const {
    return {plot->xAxis->coordToPixel(x), plot->yAxis->coordToPixel(y)};
  }
  QPointF toValues(const QPointF& pixel) const {
    return {plot->xAxis->pixelToCoord(pixel.x()), plot->yAxis->pixelToCoord(pixel.y())};
  }
  /// Of the wheel, over the y axis into values alone.
  void zoomAt(const QPointF& pixel, double factor);
  void placeCursor();
  QStringList notesAt(double x, double xPx) const;
};

void CurvePlot::Parts::zoomAt(const QPointF& pixel, double factor) {
  const QPointF centre = toValues(pixel);
  if (pixel.x() < plot->axisRect()->left()) {
    view.zoomY(zoomedAround(toRange(plot->yAxis), centre.y(), factor, view.isLogY()));
  } else {
    view.zoomX(zoomedAround(toRange(plot->xAxis), centre.x(), factor, view.isLogX()));
  }
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
  setXTicks(plot->xAxis, parts_->view.xAxis(), false);
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
  connect(overlay, &PlotOverlay::pointerMoved, this, [this](const QPointF& position) {
    parts_->pointer = position;
    Q_EMIT cursorMoved(parts_->toValues(position).x());
  });
  connect(overlay, &PlotOverlay::pointerLeft, this, [this] { Q_EMIT cursorMoved(std::nullopt); });
  connect(overlay, &PlotOverlay::boxZoomed, this, [this, plot](const QRectF& box) {
    const QPointF low = parts_->toValues(box.bottomLeft()), high = parts_->toValues(box.topRight());
    parts_->view.zoomX({low.x(), high.x()});
    if (box.height() < plot->axisRect()->height() - 2) parts_->view.zoomY({low.y(), high.y()});
    showZoom();
  });
  connect(overlay, &PlotOverlay::panned, this, [this, plot](const QPointF& delta) {
    const QRectF area = QRectF(plot->axisRect()->rect()).translated(-delta);
    const QPointF low = parts_->toValues(area.bottomLeft()),
                  high = parts_->toValues(area.topRight());
    parts_->view.zoomX({low.x(), high.x()});
    if (delta.y() != 0) parts_->view.zoomY({low.y(), high.y()});
    showZoom();
  });
  connect(overlay, &PlotOverlay::wheelZoomed, this, [this](const QPointF& position, double factor) {
    parts_->zoomAt(position, factor);
    showZoom();
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
  parts_->layers->rebuild(parts_->view.curves(), theme);
  refresh();
}

void CurvePlot::setCurves(std::vector<Curve> curves) {
  parts_->view.setCurves(std::move(curves));
  parts_->layers->rebuild(parts_->view.curves(), currentTheme());
  refresh();
}

const std::vector<Curve>& CurvePlot::curves() const { return parts_->view.curves(); }

void CurvePlot::setXAxis(XAxis axis) {
  parts_->view.setXAxis(axis);
  setXTicks(parts_->plot->xAxis, axis, parts_->view.isLogX());
  refresh();
}

XAxis CurvePlot::xAxis() const { return parts_->view.xAxis(); }

void CurvePlot::setXExtent(std::optional<std::pair<double, double>> extent) {
  if (parts_->view.setXExtent(extent)) refresh();
}

void CurvePlot::setEventMarks(std::vector<EventMark> marks) {
  parts_->marks = std::move(marks);
  refresh();
}

void CurvePlot::setYLimits(std::optional<double> least, std::optional<double> most) {
  parts_->view.setYLimits(least, most);
  refresh();
}

void CurvePlot::setLogX(bool log) {
  parts_->view.setLogX(log);
  setXTicks(parts_->plot->xAxis, parts_->view.xAxis(), log);
  refresh();
}

void CurvePlot::setLogY(bool log) {
  parts_->view.setLogY(log);
  setYTicks(parts_->plot->yAxis, log);
  refresh();
}

bool CurvePlot::isLogX() const { return parts_->view.isLogX(); }
bool CurvePlot::isLogY() const { return parts_->view.isLogY(); }

void CurvePlot::setIgnoreOutliers(bool ignore) {
  parts_->view.setIgnoreOutliers(ignore);
  refresh();
}

bool CurvePlot::isIgnoringOutliers() const { return parts_->view.isIgnoringOutliers(); }

void CurvePlot::refresh() {
  parts_->upToDate = false;
  parts_->throttle.request();
}

bool CurvePlot::isUpToDate() const { return parts_->upToDate; }

void CurvePlot::redraw() {
  if (!isVisible() || parts_->plot->width() < 10) return;
  QCustomPlot* plot = parts_->plot;
  PlotView& view = parts_->view;
  const QSize area = rect().marginsRemoved(kMarginsPx).size();
  plot->xAxis->ticker()->setTickCount(std::clamp(area.width() / kXTickPx, 2, 10));
  plot->yAxis->ticker()->setTickCount(std::clamp(area.height() / kYTickPx, 2, 8));
  const Range x = view.x();
  plot->xAxis->setRange(x.first, x.second);
  const std::vector<CurveSamples> samples = view.samples();
  parts_->layers->fill(view.curves(), samples, view.columns());
  // One stroke for a path of thousands of crossing segments takes Qt's rasteriser a hundred times
  // longer than segment by segment, which is as good where they are that short.
  plot->setPlottingHint(QCP::phFastPolylines, parts_->layers->greatestPointCount() >
                                                  static_cast<int>(view.columns()) + 1);
  const Range y = view.y(samples);
  plot->yAxis->setRange(y.first, y.second);
  parts_->placesAbove = view.placesAbove(samples, y.second);
  parts_->layers->place(view.curves(), parts_->marks, parts_->placesAbove, view.xAxis());
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
  CursorReadings at = readingsAt(
      view.curves(), *cursor, view.xAxis(), [this](double x, double y) { return toPixel(x, y); },
      pointer);
  QVector<QPair<QPointF, QColor>> dots;
  for (const CursorReadings::Dot& dot : at.dots)
    dots.append({dot.place, curveColor(view.curves()[dot.curve], currentTheme())});
  const double xPx = plot->xAxis->coordToPixel(*cursor);
  const bool told = withReadings && !at.readings.rows.empty();
  if (told) at.readings.notes = notesAt(*cursor, xPx);
  overlay->showCursor(xPx, std::move(dots),
                      told ? std::optional(std::move(at.readings)) : std::nullopt);
}

/// What the marks and the shading under the cursor stand for.
QStringList CurvePlot::Parts::notesAt(double x, double xPx) const {
  const auto isNear = [&](double place) {
    return std::abs(plot->xAxis->coordToPixel(place) - xPx) <= kMarkReachPx;
  };
  QStringList notes;
  if (std::any_of(placesAbove.begin(), placesAbove.end(), isNear)) {
    const Range shown = toRange(plot->xAxis);
    const auto count =
        pointsAbove(view.curves(), shown.first, shown.second, toRange(plot->yAxis).second);
    notes.append((count == 1 ? tr("^ ignoring outliers (O): 1 point above")
                             : tr("^ ignoring outliers (O): %1 points above").arg(count)));
  }
  for (const EventMark& mark : marks)
    if (isNear(mark.x)) notes.append(QStringLiteral("▲ ") + mark.text);
  const QString shading = layers->shadingAt(view.curves(), x, toValues(pointer).y());
  if (!shading.isEmpty()) notes.append(shading);
  return notes;
}

void CurvePlot::showZoom() {
  redraw();
  Q_EMIT viewChanged();
}

void CurvePlot::resetView() {
  parts_->view.resetZoom();
  showZoom();
}

bool CurvePlot::isZoomed() const { return parts_->view.isZoomed(); }

std::pair<double, double> CurvePlot::xView() const { return toRange(parts_->plot->xAxis); }
std::pair<double, double> CurvePlot::yView() const { return toRange(parts_->plot->yAxis); }

void CurvePlot::setXView(double low, double high) {
  parts_->view.zoomX({low, high});
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
  parts_->view.setWidth(width(), rect().marginsRemoved(kMarginsPx).width());
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
