#include "widgets/image_view/checkpoint_curve.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kHeightPx = 84, kKeyPx = 16, kEdgePx = 6, kFontPx = 11, kSamplePx = 14;
constexpr double kLinePx = 1.8, kDotPx = 2.5;

/// Of a line at a step, or of the nearest one before it.
QString textAt(const std::map<qint64, double>& values, qint64 step) {
  const auto after = values.upper_bound(step);
  if (after == values.begin()) return QStringLiteral("–");
  return QString::number(std::prev(after)->second, 'f', 3);
}

QPen lossPen(const Theme& theme) {
  return {heldOutColor(0, theme), kLinePx, Qt::DashLine, Qt::FlatCap};
}

QPen apPen(const Theme& theme) { return {theme.accent, kLinePx}; }

}  // namespace

CheckpointCurve::CheckpointCurve(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Held-out loss and AP over the steps"));
  setToolTip(
      tr("Held-out loss (dashed) and AP of the run's evaluations, each on its own scale.\n"
         "Click or drag to go to a checkpoint."));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setCursor(Qt::PointingHandCursor);
  hide();
}

QSize CheckpointCurve::sizeHint() const { return {scaledPx(300), scaledPx(kHeightPx)}; }

CheckpointCurve::Line CheckpointCurve::lineOf(const std::map<qint64, double>& values) {
  Line line{values};
  bool isFirst = true;
  for (const auto& [step, value] : values) {
    if (!std::isfinite(value)) continue;
    line.range =
        isFirst ? std::pair(value, value)
                : std::pair(std::min(line.range.first, value), std::max(line.range.second, value));
    isFirst = false;
  }
  return line;
}

void CheckpointCurve::setCurves(const std::map<qint64, double>& losses,
                                const std::map<qint64, double>& aps) {
  loss_ = lineOf(losses);
  ap_ = lineOf(aps);
  std::erase_if(ap_.values, [](const auto& at) { return at.second < 0; });  // no objects
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
  return tr("step %1: held-out loss %2, AP %3")
      .arg(current_)
      .arg(textAt(loss_.values, current_), textAt(ap_.values, current_));
}

QRectF CheckpointCurve::area() const {
  const int edge = scaledPx(kEdgePx);
  return QRectF(rect()).adjusted(edge, scaledPx(kKeyPx) + edge, -edge, -edge);
}

double CheckpointCurve::xOf(qint64 step) const {
  qint64 first = steps_.empty() ? 0 : steps_.front(), last = steps_.empty() ? 1 : steps_.back();
  for (const Line* line : {&loss_, &ap_}) {
    if (line->values.empty()) continue;
    first = std::min(first, line->values.begin()->first);
    last = std::max(last, line->values.rbegin()->first);
  }
  const double share =
      static_cast<double>(step - first) / static_cast<double>(std::max<qint64>(1, last - first));
  return area().left() + share * area().width();
}

void CheckpointCurve::paintLine(QPainter& painter, const Line& line, const QPen& pen) const {
  const auto [low, high] = line.range;
  const auto yOf = [&, plot = area()](double value) {
    return plot.bottom() - (high > low ? (value - low) / (high - low) : 0.5) * plot.height();
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

/// Names, line samples and values at the shown checkpoint.
void CheckpointCurve::paintKey(QPainter& painter) const {
  const Theme& theme = currentTheme();
  const struct {
    QPen pen;
    QString text;
    bool isThere;
  } entries[] = {
      {lossPen(theme), tr("held-out loss %1").arg(textAt(loss_.values, current_)),
       !loss_.values.empty()},
      {apPen(theme), tr("AP %1").arg(textAt(ap_.values, current_)), !ap_.values.empty()}};
  painter.setFont(interfaceFont(kFontPx));
  const int height = scaledPx(kKeyPx), sample = scaledPx(kSamplePx), gap = scaledPx(kEdgePx);
  int x = gap;
  for (const auto& [pen, text, isThere] : entries) {
    if (!isThere) continue;
    painter.setPen(pen);
    painter.drawLine(x, height / 2, x + sample, height / 2);
    x += sample + gap / 2;
    const int width = painter.fontMetrics().horizontalAdvance(text);
    painter.setPen(theme.textMuted);
    painter.drawText(QRect(x, 0, width + gap, height), Qt::AlignVCenter | Qt::AlignLeft, text);
    x += width + 2 * gap;
  }
}

void CheckpointCurve::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintKey(painter);
  const QRectF plot = area();
  painter.setPen(QPen(theme.grid, 1));
  painter.drawLine(plot.bottomLeft(), plot.bottomRight());
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
