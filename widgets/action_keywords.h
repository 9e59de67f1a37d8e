#pragma once

#include <QString>
#include <QStringList>

namespace lockstep::widgets {

/// What a person may call the action with this id, beside its name; empty: nothing else.
QString keywordsOf(const QString& id);

/// Ids of all actions that have keywords.
QStringList actionsWithKeywords();

}  // namespace lockstep::widgets
