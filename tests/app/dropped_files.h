#pragma once

#include <QApplication>
#include <QDragEnterEvent>
#include <QMimeData>
#include <QPoint>
#include <QString>
#include <QTest>
#include <QWidget>

#include "widgets/drop_hint.h"

namespace lockstep::tests {

/// Drops files as a file manager does, on a page that says what it does with them. Returns what it
/// has said; empty: nothing, or it says so still.
inline QString drop(QWidget& target, QMimeData& data, const QPoint& at) {
  QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&target, &enter);
  const auto* hint = target.findChild<widgets::DropHint*>();
  const QString announced =
      enter.isAccepted() && hint->isVisible() ? hint->accessibleName() : QString();
  QDropEvent dropped(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&target, &dropped);
  return hint->isVisible() ? QString() : announced;
}

/// In its middle.
inline void drop(QWidget& target, QMimeData& data) {
  QVERIFY(!drop(target, data, target.rect().center()).isEmpty());
}

}  // namespace lockstep::tests
