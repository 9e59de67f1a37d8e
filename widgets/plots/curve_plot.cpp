#include "widgets/plots/curve_plot.h"

#include <qcustomplot.h>

#include <QBuffer>
#include <QEvent>
#include <QSvgGenerator>
#include <algorithm>
#include <utility>

#include "widgets/curves/number_text.h"
#include "widgets/plots/axis_ticks.h"
#include "widgets/plots/curve_plot_impl.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kXTickPx = 44, kYTickPx = 24;
// Fixed, so that a longer label does not move the plot while points arrive.
QMargins marginsPx() { return {scaledPx(54), 6, 16, scaledPx(24)}; }

}  // namespace

Range CurvePlot::Impl::xRange() const {
  return {plot->xAxis->range().lower, plot->xAxis->range().upper};
}

Range CurvePlot::Impl::yRange() const {
  return {plot->yAxis->range().lower, plot->yAxis->range().upper};
}

QPointF CurvePlot::Impl::toPixel(double x, double y) const {
  return {plot->xAxis->coordToPixel(x), plot->yAxis->coordToPixel(y)};
}

QPointF CurvePlot::Impl::toValues(const QPointF& pixel) const {
  return {plot->xAxis->pixelToCoord(pixel.x()), plot->yAxis->pixelToCoord(pixel.y())};
}

void CurvePlot::Impl::zoomAt(const QPointF& pixel, double factor) {
  const QPointF centre = toValues(pixel);
  if (pixel.x() < plot->axisRect()->left()) {
    view.zoomY(zoomedAround(yRange(), centre.y(), factor, view.isLogY()));
  } else {
    view.zoomX(zoomedAround(xRange(), centre.x(), factor, view.isLogX()));
  }
}

void CurvePlot::Impl::setRanges() {
  const Range x = view.x();
  plot->xAxis->setRange(x.first, x.second);
  if (const auto y = view.yZoom()) plot->yAxis->setRange(y->first, y->second);
}

void CurvePlot::Impl::fit() {
  if (plot->geometry() == owner->rect()) return;
  plot->setGeometry(owner->rect());
  for (const auto phase :
       {QCPLayoutElement::upPreparation, QCPLayoutElement::upMargins, QCPLayoutElement::upLayout})
    plot->plotLayout()->update(phase);  // else with the next replot
}

CurvePlot::CurvePlot(DrawQueue* queue, QWidget* parent)
    : QWidget(parent), impl_(std::make_unique<Impl>()) {
  impl_->owner = this;
  impl_->queue = queue ? queue : new DrawQueue(this);
  buildUi();
  connectSignals();
  applyTheme();
}

CurvePlot::~CurvePlot() = default;

void CurvePlot::buildUi() {
  auto* plot = impl_->plot = new QCustomPlot(this);
  impl_->overlay = new PlotOverlay(this);
  impl_->layers = std::make_unique<CurveLayers>(plot);
  plot->axisRect()->setAutoMargins(QCP::msNone);
  plot->axisRect()->setMargins(marginsPx());
  setFocusPolicy(Qt::StrongFocus);
  for (QCPAxis* axis : {plot->xAxis, plot->yAxis}) {
    axis->setTickLength(0);
    axis->setSubTickLength(0);
    axis->setBasePen(Qt::NoPen);
    axis->setTickPen(Qt::NoPen);
    axis->setTickLabelPadding(6);
  }
  plot->xAxis->grid()->setVisible(false);
  setXTicks(plot->xAxis, impl_->view.xAxis(), false);
  setYTicks(plot->yAxis, false);
  setMinimumSize(minimumSizeHint());
}

void CurvePlot::connectSignals() {
  PlotOverlay* overlay = impl_->overlay;
  QCustomPlot* plot = impl_->plot;
  connect(overlay, &PlotOverlay::painted, this, [this] {
    if (impl_->waitsForSight) refresh();
  });
  connect(overlay, &PlotOverlay::pointerMoved, this, [this](const QPointF& position) {
    impl_->pointer = position;
    Q_EMIT cursorMoved(impl_->toValues(position).x());
  });
  connect(overlay, &PlotOverlay::pointerLeft, this, [this] { Q_EMIT cursorMoved(std::nullopt); });
  connect(overlay, &PlotOverlay::clicked, this,
          [this](const QPointF& position) { Q_EMIT clicked(impl_->toValues(position).x()); });
  connect(overlay, &PlotOverlay::boxZoomed, this, [this, plot](const QRectF& box) {
    const QPointF low = impl_->toValues(box.bottomLeft()), high = impl_->toValues(box.topRight());
    impl_->view.zoomX({low.x(), high.x()});
    if (box.height() < plot->axisRect()->height() - 2) impl_->view.zoomY({low.y(), high.y()});
    showZoom();
  });
  connect(overlay, &PlotOverlay::panned, this, [this, plot](const QPointF& delta) {
    const QRectF area = QRectF(plot->axisRect()->rect()).translated(-delta);
    const QPointF low = impl_->toValues(area.bottomLeft()), high = impl_->toValues(area.topRight());
    impl_->view.zoomX({low.x(), high.x()});
    if (delta.y() != 0) impl_->view.zoomY({low.y(), high.y()});
    showZoom();
  });
  connect(overlay, &PlotOverlay::rangeDragged, this, [this](double fromPx, double toPx) {
    Q_EMIT rangeSelected(impl_->toValues({fromPx, 0}).x(), impl_->toValues({toPx, 0}).x());
  });
  connect(overlay, &PlotOverlay::wheelZoomed, this, [this](const QPointF& position, double factor) {
    impl_->zoomAt(position, factor);
    showZoom();
  });
  connect(overlay, &PlotOverlay::resetRequested, this, &CurvePlot::resetView);
  connect(overlay, &PlotOverlay::menuRequested, this, &CurvePlot::menuRequested);
}

void CurvePlot::applyTheme() {
  const Theme& theme = currentTheme();
  QCustomPlot* plot = impl_->plot;
  plot->setBackground(QBrush(theme.card));
  for (QCPAxis* axis : {plot->xAxis, plot->yAxis}) {
    axis->setTickLabelColor(theme.textMuted);
    axis->setTickLabelFont(monoFont(11));
  }
  impl_->isStale = true;
  plot->yAxis->grid()->setPen(QPen(theme.grid, 1));
  plot->yAxis->grid()->setZeroLinePen(QPen(theme.grid, 1));
  refresh();
}

void CurvePlot::setCurves(std::vector<Curve> curves) {
  impl_->view.setCurves(std::move(curves));
  refresh();
}

const std::vector<Curve>& CurvePlot::curves() const { return impl_->view.curves(); }

void CurvePlot::setXAxis(XAxis axis) {
  impl_->view.setXAxis(axis);
  setXTicks(impl_->plot->xAxis, axis, impl_->view.isLogX());
  impl_->isStale = true;
  refresh();
}

XAxis CurvePlot::xAxis() const { return impl_->view.xAxis(); }

void CurvePlot::setXExtent(std::optional<std::pair<double, double>> extent) {
  if (impl_->view.setXExtent(extent)) refresh();
}

void CurvePlot::setEventMarks(std::vector<EventMark> marks) {
  impl_->marks = std::move(marks);
  refresh();
}

const std::vector<EventMark>& CurvePlot::eventMarks() const { return impl_->marks; }

void CurvePlot::setYLimits(std::optional<double> min, std::optional<double> max) {
  impl_->view.setYLimits(min, max);
  refresh();
}

void CurvePlot::setLogX(bool log) {
  impl_->view.setLogX(log);
  setXTicks(impl_->plot->xAxis, impl_->view.xAxis(), log);
  refresh();
}

void CurvePlot::setLogY(bool log) {
  impl_->view.setLogY(log);
  setYTicks(impl_->plot->yAxis, log);
  refresh();
}

bool CurvePlot::isLogX() const { return impl_->view.isLogX(); }
bool CurvePlot::isLogY() const { return impl_->view.isLogY(); }

void CurvePlot::setIgnoreOutliers(bool ignore) {
  impl_->view.setIgnoreOutliers(ignore);
  refresh();
}

bool CurvePlot::isIgnoringOutliers() const { return impl_->view.isIgnoringOutliers(); }

void CurvePlot::refresh() {
  impl_->isUpToDate = impl_->waitsForSight = false;
  impl_->queue->request(this, [this] { redraw(); });
}

bool CurvePlot::hasPoints() const { return impl_->view.hasPoints(); }

bool CurvePlot::isUpToDate() const { return impl_->isUpToDate || impl_->waitsForSight; }

void CurvePlot::redraw() {
  // One drawing after another: what has changed meanwhile is drawn with the next one.
  if (impl_->isDrawing) {
    impl_->isAwaited = true;
    return;
  }
  impl_->waitsForSight = impl_->overlay->visibleRegion().isEmpty();
  if (impl_->waitsForSight) Q_EMIT upToDate();
  if (impl_->waitsForSight || width() < 10) return;
  QCustomPlot* plot = impl_->plot;
  impl_->fit();
  PlotView& view = impl_->view;
  const QSize area = rect().marginsRemoved(marginsPx()).size();
  plot->xAxis->ticker()->setTickCount(std::clamp(area.width() / kXTickPx, 2, 10));
  plot->yAxis->ticker()->setTickCount(std::clamp(area.height() / kYTickPx, 3, 8));
  for (QCPAxis* axis : {plot->xAxis, plot->yAxis}) {
    impl_->isStale = impl_->isStale || axis->tickLabels() != view.hasPoints();
    axis->setTickLabels(view.hasPoints());
  }
  plot->yAxis->grid()->setVisible(view.hasPoints());  // no line through the text of an empty card
  const Range x = view.x();
  plot->xAxis->setRange(x.first, x.second);
  std::vector<CurveSamples> samples = view.samples();
  const Range y = view.y(samples);
  plot->yAxis->setRange(y.first, y.second);
  impl_->placesAbove = view.placesAbove(samples, y.second);
  impl_->isDrawing = impl_->layers->show({view.curves(), std::move(samples), view.columns(),
                                          impl_->marks, impl_->placesAbove, view.xAxis()},
                                         [this] { finishDrawing(); });
  const bool isStale = std::exchange(impl_->isStale, false);
  if (impl_->isDrawing) return;
  if (isStale) plot->replot(QCustomPlot::rpQueuedRefresh);
  finishDrawing();
}

void CurvePlot::finishDrawing() {
  impl_->isDrawing = false;
  impl_->isUpToDate = !impl_->isAwaited && !impl_->queue->isWaiting(this);
  impl_->placeCursor();
  Q_EMIT drawn();
  if (impl_->isUpToDate) Q_EMIT upToDate();
  if (std::exchange(impl_->isAwaited, false)) refresh();
}

void CurvePlot::showZoom() {
  impl_->setRanges();
  refresh();
  Q_EMIT viewChanged();
}

void CurvePlot::resetView() {
  impl_->view.resetZoom();
  showZoom();
}

bool CurvePlot::isZoomed() const { return impl_->view.isZoomed(); }

PlotZoom CurvePlot::zoom() const { return {impl_->view.xZoom(), impl_->view.yZoom()}; }

void CurvePlot::setZoom(const PlotZoom& zoom) {
  impl_->view.resetZoom();
  if (zoom.x) impl_->view.zoomX(*zoom.x);
  if (zoom.y) impl_->view.zoomY(*zoom.y);
  impl_->setRanges();
  refresh();
}

/// Readings of a page that is not shown would lie over the one that is.
void CurvePlot::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  impl_->placeCursor();
}

std::pair<double, double> CurvePlot::xView() const { return impl_->xRange(); }
std::pair<double, double> CurvePlot::yView() const { return impl_->yRange(); }

void CurvePlot::setXView(double low, double high) {
  impl_->view.zoomX({low, high});
  impl_->setRanges();
  refresh();
}

int CurvePlot::drawnPointCount(int curve) const { return impl_->layers->pointCount(curve); }

const PlotView& CurvePlot::view() const { return impl_->view; }

QByteArray CurvePlot::toSvg() const {
  QBuffer buffer;
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setSize(size());
  generator.setViewBox(rect());
  QCPPainter painter(&generator);
  painter.setMode(QCPPainter::pmVectorized);
  painter.setMode(QCPPainter::pmNoCaching);
  impl_->plot->toPainter(&painter, width(), height());
  painter.end();
  return buffer.data();
}

QString CurvePlot::spokenValue() const {
  QStringList values;
  for (const Curve& curve : curves()) {
    if (!curve.source || curve.source->isEmpty()) continue;
    const auto last = curve.source->nearest(curve.source->xRange().second);
    if (!last) continue;
    const QString name =
        curve.run.isEmpty() ? curve.name : curve.run + QLatin1Char(' ') + curve.name;
    values
        << tr("%1: %2 at step %3").arg(name, valueText(last->value - last->base)).arg(last->step);
  }
  return values.isEmpty() ? tr("no values yet") : values.join(QStringLiteral("; "));
}

QSize CurvePlot::sizeHint() const { return {420, 220}; }
QSize CurvePlot::minimumSizeHint() const { return {160, 90}; }

void CurvePlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  impl_->overlay->setGeometry(rect());
  impl_->overlay->setPlotArea(rect().marginsRemoved(marginsPx()));
  impl_->view.setWidth(width(), rect().marginsRemoved(marginsPx()).width());
  impl_->isStale = true;
  refresh();
}

void CurvePlot::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void CurvePlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) applyTheme();
}

}  // namespace lockstep::widgets
