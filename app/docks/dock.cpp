#include "app/docks/dock.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "widgets/icon.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

constexpr QMargins kTitleMargins(12, 5, 6, 3);
constexpr int kToolsAt = 1;  ///< after the text

}  // namespace

Dock::Dock(const char* id, const QString& title, QWidget* panel, QWidget* parent)
    : QDockWidget(title, parent) {
  setObjectName(QLatin1String(id));
  setAccessibleName(title);
  setWidget(panel);
  setFeatures(DockWidgetClosable | DockWidgetMovable | DockWidgetFloatable);
  buildTitle();
  connect(this, &QDockWidget::topLevelChanged, this, &Dock::updateButtons);
  connect(toggleViewAction(), &QAction::triggered, this, [this](bool isShown) {
    if (isShown) raise();
  });
}

void Dock::buildTitle() {
  auto* bar = new QWidget;
  widgets::setRole(bar, "panel");
  row_ = new QHBoxLayout(bar);
  row_->setContentsMargins(kTitleMargins);
  row_->setSpacing(4);
  text_ = new QLabel(windowTitle());
  widgets::setRole(text_, "section");
  row_->addWidget(text_, 1);
  float_ = addButton(tr("Float"));
  close_ = addButton(tr("Close"));
  connect(float_, &QToolButton::clicked, this, [this] { setFloating(!isFloating()); });
  connect(close_, &QToolButton::clicked, this, &QWidget::close);
  setTitleBarWidget(bar);
  updateButtons();
}

/// Without a place in the focus order: the keyboard has an action for each.
QToolButton* Dock::addButton(const QString& name) {
  auto* button = new QToolButton;
  button->setAccessibleName(name);
  button->setFocusPolicy(Qt::NoFocus);
  widgets::setRole(button, "icon");
  row_->addWidget(button);
  return button;
}

void Dock::addTool(QWidget* tool) { row_->insertWidget(kToolsAt, tool); }

void Dock::setHead(QWidget* head) {
  text_->hide();
  row_->insertWidget(0, head, 1);
}

void Dock::bringUp() {
  show();
  raise();
}

void Dock::updateButtons() {
  const QColor color = widgets::currentTheme().textMuted;
  float_->setIcon(widgets::icon(QStringLiteral("float"), color));
  close_->setIcon(widgets::icon(QStringLiteral("close"), color));
  const QString name = isFloating() ? tr("Put it back into the window") : tr("Float");
  float_->setToolTip(name);
  float_->setAccessibleName(name);
  close_->setToolTip(tr("Close"));
}

void Dock::changeEvent(QEvent* event) {
  QDockWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && close_) updateButtons();
}

}  // namespace lockstep::app
