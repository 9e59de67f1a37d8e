#include "widgets/move_keys.h"

#include <QKeyEvent>

namespace lockstep::widgets {

bool isUnmodified(const QKeyEvent& event) {
  return (event.modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
}

bool isMoveKey(const QKeyEvent& event) {
  if (!isUnmodified(event)) return false;
  switch (event.key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
    case Qt::Key_Home:
    case Qt::Key_End:
      return true;
    default:
      return false;
  }
}

}  // namespace lockstep::widgets
