#pragma once

#include <QApplication>
#include <QDragEnterEvent>
#include <QMimeData>
#include <QTest>
#include <QWidget>

#include "widgets/drop_hint.h"

namespace lockstep::tests {

/// Drops files as a file manager does, on a page that says what it does with them.
inline void drop(QWidget& target, QMimeData& data) {
  const QPoint at = target.rect().center();
  QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&target, &enter);
  QVERIFY(enter.isAccepted());
  QVERIFY(target.findChild<widgets::DropHint*>()->isVisible());
  QDropEvent dropped(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&target, &dropped);
  QVERIFY(!target.findChild<widgets::DropHint*>()->isVisible());
}

}  // namespace lockstep::tests
