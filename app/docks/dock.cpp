#include "app/docks/dock.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QPainter>
#include <QScreen>
#include <QToolButton>
#include <algorithm>

#include "widgets/icon.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

constexpr QMargins kTitleMargins(12, 5, 6, 3);
constexpr int kToolsAt = 1;  ///< after the text
constexpr int kAsidePx = 40;

}  // namespace

Dock::Dock(const char* id, const QString& title, QWidget* panel, QWidget* parent)
    : QDockWidget(title, parent) {
  setObjectName(QLatin1String(id));
  setAccessibleName(title);
  setWidget(panel);
  setFeatures(DockWidgetClosable | DockWidgetMovable | DockWidgetFloatable);
  buildTitle();
  connect(this, &QDockWidget::topLevelChanged, this, [this](bool floats) {
    updateButtons();
    setFolded(isFolded_);  // not where it cannot be
    if (floats && (pos() - dockedAt_).manhattanLength() < kAsidePx) stepAside();
  });
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

bool Dock::canFold() const {
  const auto* window = qobject_cast<const QMainWindow*>(parentWidget());
  if (window == nullptr || isFloating()) return false;
  const Qt::DockWidgetArea area = window->dockWidgetArea(const_cast<Dock*>(this));
  return area == Qt::BottomDockWidgetArea || area == Qt::TopDockWidgetArea;
}

void Dock::setFolded(bool isFolded) {
  isFolded = isFolded && canFold();
  if (isFolded == isFolded_) return;
  isFolded_ = isFolded;
  if (isFolded) openPx_ = height();
  widget()->setMaximumHeight(isFolded ? 0 : QWIDGETSIZE_MAX);
  auto* window = qobject_cast<QMainWindow*>(parentWidget());
  if (window && !isFolded && canFold()) window->resizeDocks({this}, {openPx_}, Qt::Vertical);
  if (!isFolded && isFloating()) resize(width(), openPx_);
  Q_EMIT foldedChanged(isFolded);
}

void Dock::restoreFolded(int openHeight) {
  setFolded(true);
  openPx_ = openHeight;
}

void Dock::bringUp() {
  show();
  raise();
}

void Dock::setVisible(bool isShown) {
  // Qt hides and shows it when it begins to float.
  if (!isShown && isVisible() && !isFloating()) dockedAt_ = mapToGlobal(QPoint());
  if (isShown && isHidden() && !isFloating()) Q_EMIT aboutToTakeRoom();
  QDockWidget::setVisible(isShown);
}

/// Qt leaves it exactly where it was in the window, where nothing shows that it floats. A window
/// that is not seen yet is restoring the places of an earlier one.
void Dock::stepAside() {
  const QWidget* window = parentWidget();
  if (!window || !window->isVisible()) return;
  const QRect inside = window->screen()->availableGeometry();
  const QPoint middle = window->geometry().center();
  QRect place = geometry();
  place.setSize(place.size().boundedTo(inside.size()));
  const QPoint from = place.center();
  place.translate(from.x() < middle.x() ? kAsidePx : -kAsidePx,
                  from.y() < middle.y() ? kAsidePx : -kAsidePx);
  place.moveLeft(
      std::clamp(place.left(), inside.left(), inside.left() + inside.width() - place.width()));
  place.moveTop(
      std::clamp(place.top(), inside.top(), inside.top() + inside.height() - place.height()));
  setGeometry(place);
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

/// With a title of our own neither Qt nor the desktop draws a frame.
void Dock::paintEvent(QPaintEvent* event) {
  QDockWidget::paintEvent(event);
  if (!isFloating()) return;
  QPainter painter(this);
  painter.setPen(widgets::currentTheme().textFaint);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

}  // namespace lockstep::app
