#include "widgets/image_view/checkpoint_curve.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "widgets/curves/number_text.h"
#include "widgets/curves/tick_steps.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kCurveHeightPx = 104, kCompactCurvePx = 36, kKeyPx = 16, kCurveEdgePx = 6,
              kCurveFontPx = 11, kSamplePx = 14, kTicks = 3;
constexpr double kCurveLinePx = 1.8, kDotPx = 2.5;

/// Of a line at a step, or of the nearest one before it, which is said; `isShort`: as a number.
QString textAt(const std::map<qint64, double>& values, qint64 step, bool isShort = false) {
  const auto after = values.upper_bound(step);
  if (after == values.begin()) return QStringLiteral("–");
  const auto& [known, value] = *std::prev(after);
  const QString text = QString::number(value, 'f', 3);
  if (known == step) return text;
  return (isShort ? QStringLiteral("%1 (%2)") : CheckpointCurve::tr("%1 (step %2)"))
      .arg(text)
      .arg(known);
}

QPen lossPen(const Theme& theme) {
  return {heldOutColor(0, theme), kCurveLinePx, Qt::DashLine, Qt::FlatCap};
}

QPen apPen(const Theme& theme) { return {theme.accent, kCurveLinePx}; }

}  // namespace

CheckpointCurve::CheckpointCurve(QWidget* parent) : QWidget(parent) {
  setApName(tr("AP"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setCursor(Qt::PointingHandCursor);
  hide();
}

QSize CheckpointCurve::sizeHint() const {
  return {scaledPx(300), scaledPx(isCompact_ ? kCompactCurvePx : kCurveHeightPx)};
}

void CheckpointCurve::setCompact(bool isCompact) {
  if (isCompact == isCompact_) return;
  isCompact_ = isCompact;
  updateGeometry();
  update();
}

/// Both axes begin at 0 and end at a round value, so that checkpoints look as far apart as they
/// are.
CheckpointCurve::Line CheckpointCurve::lineOf(const std::map<qint64, double>& values) {
  Line line{values};
  double highest = 0;
  for (const auto& [step, value] : values)
    if (std::isfinite(value)) highest = std::max(highest, value);
  if (highest <= 0) return line;
  const double tick = valueTickStep({0, highest}, kTicks);
  line.top = std::ceil(highest / tick) * tick;
  return line;
}

void CheckpointCurve::setApName(const QString& name) {
  if (name == apName_) return;
  apName_ = name;
  setAccessibleName(tr("Validation loss and %1 over the steps").arg(name));
  setToolTip(tr("Validation loss (dashed, left axis) and %1 over IoU .50:.95 (right axis) of the "
                "run's evaluations.\nClick or drag to go to a checkpoint.")
                 .arg(name));
  update();
}

void CheckpointCurve::setCurves(const std::map<qint64, double>& losses,
                                const std::map<qint64, double>& aps) {
  std::map<qint64, double> known = aps;
  std::erase_if(known, [](const auto& at) { return at.second < 0; });  // no objects
  loss_ = lineOf(losses);
  ap_ = lineOf(known);
  setVisible(std::max(loss_.values.size(), ap_.values.size()) > 1);
  update();
}

void CheckpointCurve::setCheckpoints(const std::vector<qint64>& steps, qint64 current) {
  if (steps == steps_ && current == current_) return;
  steps_ = steps;
  current_ = current;
  update();
  announce(this, *this);
}

QString CheckpointCurve::spokenValue() const {
  return tr("step %1: validation loss %2, %3 %4")
      .arg(current_)
      .arg(textAt(loss_.values, current_), apName_, textAt(ap_.values, current_));
}

QRectF CheckpointCurve::area() const {
  const int edge = scaledPx(kCurveEdgePx), label = labelPx();
  if (isCompact_) return QRectF(rect()).adjusted(edge, edge, -edge, -edge);
  return QRectF(rect()).adjusted(label + edge, scaledPx(kKeyPx) + edge, -label - edge,
                                 -scaledPx(kKeyPx));
}

/// The wider one of the axes' labels.
int CheckpointCurve::labelPx() const {
  const QFontMetrics metrics(interfaceFont(kCurveFontPx));
  return std::max(metrics.horizontalAdvance(valueTickText(loss_.top)),
                  metrics.horizontalAdvance(valueTickText(ap_.top)));
}

/// Of the checkpoints and of the evaluations.
std::pair<qint64, qint64> CheckpointCurve::steps() const {
  qint64 first = steps_.empty() ? 0 : steps_.front(), last = steps_.empty() ? 1 : steps_.back();
  for (const Line* line : {&loss_, &ap_}) {
    if (line->values.empty()) continue;
    first = std::min(first, line->values.begin()->first);
    last = std::max(last, line->values.rbegin()->first);
  }
  return {first, last};
}

double CheckpointCurve::xOf(qint64 step) const {
  const auto [first, last] = steps();
  const double share =
      static_cast<double>(step - first) / static_cast<double>(std::max<qint64>(1, last - first));
  return area().left() + share * area().width();
}

void CheckpointCurve::paintLine(QPainter& painter, const Line& line, const QPen& pen) const {
  const auto yOf = [&, plot = area()](double value) {
    return plot.bottom() - value / line.top * plot.height();
  };
  QPainterPath path;
  bool isGap = true;
  for (const auto& [step, value] : line.values) {
    if (std::isfinite(value)) {
      const QPointF at(xOf(step), yOf(value));
      isGap ? path.moveTo(at) : path.lineTo(at);
    }
    isGap = !std::isfinite(value);
  }
  painter.setPen(pen);
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(path);
  const auto here = line.values.find(current_);
  if (here == line.values.end() || !std::isfinite(here->second)) return;
  painter.setPen(Qt::NoPen);
  painter.setBrush(pen.color());
  painter.drawEllipse(QPointF(xOf(current_), yOf(here->second)), 2 * kDotPx, 2 * kDotPx);
}

/// Names, line samples and values at the shown checkpoint, each over its axis.
void CheckpointCurve::paintKey(QPainter& painter) const {
  const Theme& theme = currentTheme();
  const int height = scaledPx(kKeyPx), sample = scaledPx(kSamplePx), gap = scaledPx(kCurveEdgePx);
  const QString loss = tr("validation loss");
  const auto textOf = [this](const QString& name, const Line& line, bool isShort) -> QString {
    return name % u' ' % textAt(line.values, current_, isShort);
  };
  const int bothPx = painter.fontMetrics().horizontalAdvance(textOf(loss, loss_, false) +
                                                             textOf(apName_, ap_, false));
  const bool isShort = bothPx + 2 * sample + 4 * gap > width();
  const auto paint = [&](const QString& name, const Line& line, const QPen& pen, bool isLeft) {
    if (line.values.empty()) return;
    const QString text = textOf(name, line, isShort);
    const int whole = sample + gap + painter.fontMetrics().horizontalAdvance(text);
    const int x = isLeft ? 0 : width() - whole;
    painter.setPen(pen);
    painter.drawLine(x, height / 2, x + sample, height / 2);
    painter.setPen(theme.textMuted);
    painter.drawText(QRect(x + sample + gap, 0, whole, height), Qt::AlignVCenter | Qt::AlignLeft,
                     text);
  };
  paint(loss, loss_, lossPen(theme), true);
  paint(apName_, ap_, apPen(theme), false);
}

/// 0 and the top of both value axes, and the ends of the steps.
void CheckpointCurve::paintAxes(QPainter& painter) const {
  const Theme& theme = currentTheme();
  const QRectF plot = area();
  painter.setPen(QPen(theme.grid, 1));
  painter.drawLine(plot.bottomLeft(), plot.bottomRight());
  painter.drawLine(plot.topLeft(), plot.topRight());
  const int height = scaledPx(kKeyPx), label = labelPx();
  painter.setPen(theme.textMuted);
  const auto paintValue = [&](const Line& line, double value, double y) {
    const bool isLeft = &line == &loss_;
    if (line.values.empty()) return;
    painter.drawText(QRectF(isLeft ? 0 : width() - label, y - height / 2.0, label, height),
                     Qt::AlignVCenter | (isLeft ? Qt::AlignRight : Qt::AlignLeft),
                     valueTickText(value));
  };
  for (const Line* line : {&loss_, &ap_}) {
    paintValue(*line, 0, plot.bottom());
    paintValue(*line, line->top, plot.top());
  }
  const auto [first, last] = steps();
  const QRectF foot(plot.left(), plot.bottom() + 2, plot.width(), height);
  painter.drawText(foot, Qt::AlignLeft | Qt::AlignVCenter, tr("step %1").arg(first));
  painter.drawText(foot, Qt::AlignRight | Qt::AlignVCenter, QString::number(last));
}

void CheckpointCurve::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(interfaceFont(kCurveFontPx));
  if (!isCompact_) {
    paintKey(painter);
    paintAxes(painter);
  }
  const QRectF plot = area();
  for (const qint64 step : steps_) {  // the checkpoints, at the foot
    painter.setPen(QPen(theme.textFaint, 1));
    painter.drawLine(QPointF(xOf(step), plot.bottom()), QPointF(xOf(step), plot.bottom() + 3));
  }
  painter.setPen(QPen(theme.textMuted, 1));
  painter.drawLine(QPointF(xOf(current_), plot.top()), QPointF(xOf(current_), plot.bottom()));
  paintLine(painter, loss_, lossPen(theme));
  paintLine(painter, ap_, apPen(theme));
}

void CheckpointCurve::chooseAt(double x) {
  const auto nearest =
      std::ranges::min_element(steps_, {}, [&](qint64 step) { return std::abs(xOf(step) - x); });
  if (nearest != steps_.end() && *nearest != current_) Q_EMIT stepChosen(*nearest);
}

void CheckpointCurve::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) chooseAt(event->position().x());
}

void CheckpointCurve::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) chooseAt(event->position().x());
}

}  // namespace lockstep::widgets
