// CurvePlot's cursor: where it is, what it reads there, and the keys that move it.
#include <qcustomplot.h>

#include <QKeyEvent>
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "widgets/curves/cursor_readings.h"
#include "widgets/curves/range_readings.h"
#include "widgets/plots/curve_pen.h"
#include "widgets/plots/curve_plot_impl.h"
#include "widgets/plots/event_marks.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr double kMarkReachPx = 4, kCursorStepPx = 4;

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
    const Range shown = xRange();
    const auto count = pointsAbove(view.curves(), shown.first, shown.second, yRange().second);
    notes.append(
        tr("^ %n outlier(s) above the plot (press O to show all)", "", static_cast<int>(count)));
  }
  for (const EventMark& mark : marks)
    if (isNear(mark.x)) notes.append(markSign(mark.kind) + QLatin1Char(' ') + mark.text);
  const QString shading = layers->shadingAt(view.curves(), x, toValues(pointer).y());
  if (!shading.isEmpty()) notes.append(shading);
  return notes;
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

void CurvePlot::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  if (event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason)
    Q_EMIT cursorMoved(std::nullopt);
}

}  // namespace lockstep::widgets
