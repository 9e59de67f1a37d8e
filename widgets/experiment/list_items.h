#pragma once

#include <QList>
#include <QString>

#include "engine/config/fields.h"

namespace lockstep::widgets {

/// A list as it is typed in one line, with brackets or without, and the cursor in it.
struct TypedList {
  QString text;
  qsizetype cursor = 0;

  /// Its items as they are typed.
  QList<QString> items() const;
};

/// With one more item after that at the cursor, which the new one goes on from; an item that cannot
/// be told is empty. The cursor is at the new item.
TypedList withItemAdded(const config::Field& field, const TypedList& list);
/// Without the item at the cursor.
TypedList withItemRemoved(const TypedList& list);
/// With the item at the cursor some steps up or, if negative, down, as stepped().
TypedList withItemStepped(const config::Field& field, const TypedList& list, int steps);

}  // namespace lockstep::widgets
