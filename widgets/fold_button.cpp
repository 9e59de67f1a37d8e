#include "widgets/fold_button.h"

#include <QHelpEvent>
#include <QStyleOptionToolButton>
#include <QStylePainter>
#include <QToolTip>

#include "widgets/literal_text.h"
#include "widgets/role.h"

namespace lockstep::widgets {

FoldButton::FoldButton(QWidget* parent) : QToolButton(parent) {
  setCheckable(true);
  setToolButtonStyle(Qt::ToolButtonTextOnly);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  setRole(this, "quiet");
  connect(this, &QToolButton::toggled, this, &FoldButton::showTitle);
  connect(this, &QToolButton::clicked, this, &FoldButton::openChanged);
}

void FoldButton::setTitle(const QString& title) {
  title_ = title;
  showTitle();
}

void FoldButton::setOpen(bool open) { setChecked(open); }

void FoldButton::showTitle() {
  const QString mark = isOpen() ? QStringLiteral("▾") : QStringLiteral("▸");
  setText(title_.isEmpty() ? mark : mark % QStringLiteral("  ") % literalText(title_));
}

QSize FoldButton::sizeOf(const QString& text) const {
  ensurePolished();
  QStyleOptionToolButton option;
  initStyleOption(&option);
  const QSize room = fontMetrics().size(Qt::TextSingleLine | Qt::TextShowMnemonic, text);
  return style()->sizeFromContents(QStyle::CT_ToolButton, &option, room, this);
}

QSize FoldButton::sizeHint() const { return sizeOf(text()); }

QSize FoldButton::minimumSizeHint() const {
  return sizeOf(text().left(1) % (title_.isEmpty() ? QString() : QStringLiteral("  …")));
}

bool FoldButton::event(QEvent* event) {
  const bool isCut = event->type() == QEvent::ToolTip && width() < sizeHint().width();
  if (!isCut) return QToolButton::event(event);
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), title_, this);
  return true;
}

void FoldButton::paintEvent(QPaintEvent*) {
  QStylePainter painter(this);
  QStyleOptionToolButton option;
  initStyleOption(&option);
  const int beside = sizeHint().width() - fontMetrics().size(Qt::TextShowMnemonic, text()).width();
  option.text =
      fontMetrics().elidedText(text(), Qt::ElideMiddle, width() - beside, Qt::TextShowMnemonic);
  painter.drawComplexControl(QStyle::CC_ToolButton, option);
}

}  // namespace lockstep::widgets
