#include "widgets/fold_button.h"

#include "widgets/role.h"

namespace lockstep::widgets {

FoldButton::FoldButton(QWidget* parent) : QToolButton(parent) {
  setCheckable(true);
  setToolButtonStyle(Qt::ToolButtonTextOnly);
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
  setText(title_.isEmpty() ? mark : mark % QStringLiteral("  ") % title_);
}

}  // namespace lockstep::widgets
