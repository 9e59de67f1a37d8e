#include "widgets/drop_hint.h"

#include <QPainter>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kEdgePx = 14;
constexpr int kVeilAlpha = 225;

}  // namespace

DropHint::DropHint(QWidget* over) : QWidget(over) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFocusPolicy(Qt::NoFocus);
  hide();
}

void DropHint::showText(const QString& text) {
  text_ = text;
  setAccessibleName(text);
  setGeometry(parentWidget()->rect());
  show();
  raise();
}

void DropHint::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QColor veil = theme.window;
  veil.setAlpha(kVeilAlpha);
  painter.fillRect(rect(), veil);
  const int edge = scaledPx(kEdgePx);
  const QRect frame = rect().adjusted(edge, edge, -edge, -edge);
  painter.setPen(QPen(theme.accent, 2, Qt::DashLine));
  painter.drawRoundedRect(frame, edge / 2.0, edge / 2.0);
  painter.setPen(theme.text);
  painter.setFont(interfaceFont(16, QFont::DemiBold));
  painter.drawText(frame.adjusted(edge, edge, -edge, -edge), Qt::AlignCenter | Qt::TextWordWrap,
                   text_);
}

}  // namespace lockstep::widgets
