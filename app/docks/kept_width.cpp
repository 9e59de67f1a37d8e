#include "app/docks/kept_width.h"

#include <QEvent>
#include <QMainWindow>
#include <QMouseEvent>

#include "app/docks/dock.h"

namespace lockstep::app {

KeptWidth::KeptWidth(Dock* dock, QMainWindow* window)
    : QObject(window), dock_(dock), window_(window), windowSize_(window->size()) {
  dock->installEventFilter(this);
  window->installEventFilter(this);
}

bool KeptWidth::isBeside() const {
  const Qt::DockWidgetArea area = window_->dockWidgetArea(dock_);
  return !dock_->isHidden() && !dock_->isFloating() &&
         (area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea);
}

void KeptWidth::setWidth(int px) {
  widthPx_ = px;
  apply();
}

/// As far as the pages leave room.
void KeptWidth::apply() {
  if (isBeside() && dock_->width() != widthPx_)
    window_->resizeDocks({dock_}, {widthPx_}, Qt::Horizontal);
}

/// Between docks and pages, where the window has no widget or, as a wider grip, a plain one.
bool KeptWidth::isLine(QPoint at) const {
  const QWidget* const child = window_->childAt(at);
  return child == nullptr ||
         (child->parentWidget() == window_ && child->metaObject() == &QWidget::staticMetaObject);
}

/// The window's layout has its new size before the event is seen here.
bool KeptWidth::eventFilter(QObject* watched, QEvent* event) {
  if (watched == window_) {
    if (event->type() == QEvent::MouseButtonPress)
      isDragged_ = isLine(static_cast<QMouseEvent*>(event)->position().toPoint());
    if (event->type() == QEvent::MouseButtonRelease) isDragged_ = false;
    if (event->type() == QEvent::Resize && windowSize_ != window_->size()) {
      windowSize_ = window_->size();
      apply();
    }
  } else if (event->type() == QEvent::Resize && isDragged_ && windowSize_ == window_->size() &&
             isBeside()) {
    widthPx_ = dock_->width();
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace lockstep::app
