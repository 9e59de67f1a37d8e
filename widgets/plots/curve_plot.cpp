#include "widgets/plots/curve_plot.h"

#include <qcustomplot.h>

#include <QBuffer>
#include <QEvent>
#include <QKeyEvent>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "widgets/curves/cursor_readings.h"
#include "widgets/curves/number_text.h"
#include "widgets/curves/plot_view.h"
#include "widgets/curves/range_readings.h"
#include "widgets/curves/value_range.h"
#include "widgets/draw_queue.h"
#include "widgets/plots/axis_ticks.h"
#include "widgets/plots/curve_layers.h"
#include "widgets/plots/curve_pen.h"
#include "widgets/plots/event_marks.h"
#include "widgets/plots/plot_overlay.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr double kMarkReachPx = 4, kCursorStepPx = 4;
constexpr int kXTickPx = 44, kYTickPx = 24;
// Fixed, so that a longer label does not move the plot while points arrive.
constexpr QMargins kMarginsPx(54, 6, 16, 24);

Range toRange(const QCPAxis* axis) { return {axis->range().lower, axis->range().upper}; }

/// The readings of a stack stand as its parts do: the top one first.
void orderAsStacked(Readings& readings, const std::vector<Curve>& curves, double x) {
  const bool isStack = std::ranges::any_of(curves, [x](const Curve& curve) {
    const auto reading = curve.source ? curve.source->nearest(x) : std::nullopt;
    return reading && reading->base != 0;
  });
  if (!isStack) return;
  const auto placeOf = [&curves](const Readings::Row& row) {
    return std::ranges::find(curves, row.curve.source, &Curve::source) - curves.begin();
  };
  std::ranges::sort(readings.rows, std::ranges::greater(), placeOf);
}

}  // namespace

struct CurvePlot::Impl {
  CurvePlot* owner = nullptr;
  QCustomPlot* plot = nullptr;
  PlotOverlay* overlay = nullptr;
  std::unique_ptr<CurveLayers> layers;
  DrawQueue* queue = nullptr;
  PlotView view;
  std::vector<EventMark> marks;
  bool isUpToDate = false;
  bool isStale = true;         ///< axes, background or size have changed: what is drawn is not all
  bool isDrawing = false;      ///< its lines, in another thread
  bool isAwaited = false;      ///< something has changed since
  bool waitsForSight = false;  ///< it has changed while it was hidden or scrolled away
  std::vector<double> placesAbove;  ///< ascending x of the outliers that are not shown
  std::optional<double> cursor;
  bool withReadings = false;
  std::optional<Range> selected;
  QPointF pointer;

  QPointF toPixel(double x, double y) const {
    return {plot->xAxis->coordToPixel(x), plot->yAxis->coordToPixel(y)};
  }
  QPointF toValues(const QPointF& pixel) const {
    return {plot->xAxis->pixelToCoord(pixel.x()), plot->yAxis->pixelToCoord(pixel.y())};
  }
  /// Zooms in x, or in y if the pointer is over the y axis.
  void zoomAt(const QPointF& pixel, double factor);
  /// The ranges that a zoom sets, before it is drawn: the next move of the mouse is from there.
  void setRanges();
  /// Only what is in sight gets a size: it takes QCustomPlot's time.
  void fit();
  void placeCursor();
  QStringList notesAt(double x, double xPx) const;
};

void CurvePlot::Impl::zoomAt(const QPointF& pixel, double factor) {
  const QPointF centre = toValues(pixel);
  if (pixel.x() < plot->axisRect()->left()) {
    view.zoomY(zoomedAround(toRange(plot->yAxis), centre.y(), factor, view.isLogY()));
  } else {
    view.zoomX(zoomedAround(toRange(plot->xAxis), centre.x(), factor, view.isLogX()));
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
  plot->axisRect()->setMargins(kMarginsPx);
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
  const QSize area = rect().marginsRemoved(kMarginsPx).size();
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

void CurvePlot::showCursor(std::optional<double> x, bool withReadings) {
  impl_->cursor = x;
  impl_->withReadings = withReadings;
  impl_->placeCursor();
}

void CurvePlot::setSelectedRange(std::optional<Range> range) {
  if (range == impl_->selected) return;
  impl_->selected = range;
  impl_->placeCursor();
}

void CurvePlot::Impl::placeCursor() {
  overlay->showRange(selected ? std::optional(Range(plot->xAxis->coordToPixel(selected->first),
                                                    plot->xAxis->coordToPixel(selected->second)))
                              : std::nullopt);
  if (!cursor) return overlay->showCursor(std::nullopt, {}, std::nullopt);
  CursorReadings at = readingsAt(
      view.curves(), *cursor, view.xAxis(), [this](double x, double y) { return toPixel(x, y); },
      pointer);
  QVector<QPair<QPointF, QColor>> dots;
  for (const CursorReadings::Dot& dot : at.dots)
    dots.append({dot.place, curveColor(view.curves()[dot.curve], currentTheme())});
  const double xPx = plot->xAxis->coordToPixel(*cursor);
  const bool showsReadings = withReadings && overlay->isVisible() && !at.readings.rows.empty();
  const bool isInRange = selected && *cursor >= selected->first && *cursor <= selected->second;
  if (showsReadings) at.readings.notes = notesAt(*cursor, xPx);
  if (showsReadings && isInRange) {
    // Within a step there are none.
    Readings figures = rangeReadings(view.curves(), *selected, view.xAxis());
    if (!figures.rows.empty()) at.readings = std::move(figures);
  }
  if (showsReadings) orderAsStacked(at.readings, view.curves(), *cursor);
  if (showsReadings && owner->hasFocus()) owner->setAccessibleDescription(spoken(at.readings));
  overlay->showCursor(xPx, std::move(dots),
                      showsReadings ? std::optional(std::move(at.readings)) : std::nullopt);
}

/// Describes the marks and the shading at the cursor.
QStringList CurvePlot::Impl::notesAt(double x, double xPx) const {
  const auto isNear = [&](double place) {
    return std::abs(plot->xAxis->coordToPixel(place) - xPx) <= kMarkReachPx;
  };
  QStringList notes;
  if (std::any_of(placesAbove.begin(), placesAbove.end(), isNear)) {
    const Range shown = toRange(plot->xAxis);
    const auto count =
        pointsAbove(view.curves(), shown.first, shown.second, toRange(plot->yAxis).second);
    notes.append((count == 1
                      ? tr("^ 1 outlier above the plot (press O to show it)")
                      : tr("^ %1 outliers above the plot (press O to show them)").arg(count)));
  }
  for (const EventMark& mark : marks)
    if (isNear(mark.x)) notes.append(markSign(mark.kind) + QLatin1Char(' ') + mark.text);
  const QString shading = layers->shadingAt(view.curves(), x, toValues(pointer).y());
  if (!shading.isEmpty()) notes.append(shading);
  return notes;
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

void CurvePlot::keyPressEvent(QKeyEvent* event) {
  const auto [low, high] = xView();
  const QPointF from =
      impl_->toValues({impl_->cursor ? impl_->plot->xAxis->coordToPixel(*impl_->cursor)
                                     : impl_->plot->axisRect()->right() + 1.0,
                       0});
  const auto movedBy = [&](double px) {
    const double at = impl_->plot->xAxis->coordToPixel(from.x()) + px;
    return std::clamp(impl_->toValues({at, 0}).x(), low, high);
  };
  const double stepPx = event->modifiers() & Qt::ShiftModifier ? 10 * kCursorStepPx : kCursorStepPx;
  switch (event->key()) {
    case Qt::Key_Left:
      return Q_EMIT cursorMoved(movedBy(-stepPx));
    case Qt::Key_Right:
      return Q_EMIT cursorMoved(movedBy(stepPx));
    case Qt::Key_Home:
      return Q_EMIT cursorMoved(low);
    case Qt::Key_End:
      return Q_EMIT cursorMoved(high);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (impl_->cursor) return Q_EMIT clicked(*impl_->cursor);
      break;
    case Qt::Key_Escape:
      if (impl_->selected) return Q_EMIT rangeDismissed();
      if (impl_->cursor) return Q_EMIT cursorMoved(std::nullopt);
      break;
    default:
      break;
  }
  QWidget::keyPressEvent(event);
}

/// Esc ends the range or hides the cursor before it is a shortcut of the window.
bool CurvePlot::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && (impl_->cursor || impl_->selected) &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    event->accept();
    return true;
  }
  return QWidget::event(event);
}

/// Readings of a page that is not shown would lie over the one that is.
void CurvePlot::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  impl_->placeCursor();
}

void CurvePlot::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  if (event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason)
    Q_EMIT cursorMoved(std::nullopt);
}

std::pair<double, double> CurvePlot::xView() const { return toRange(impl_->plot->xAxis); }
std::pair<double, double> CurvePlot::yView() const { return toRange(impl_->plot->yAxis); }

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
  impl_->overlay->setPlotArea(rect().marginsRemoved(kMarginsPx));
  impl_->view.setWidth(width(), rect().marginsRemoved(kMarginsPx).width());
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
