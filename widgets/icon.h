#pragma once

#include <QColor>
#include <QIcon>
#include <QString>

namespace lockstep::widgets {

/// An icon of resources/icons (`play`, `pause`, `stop`, `search` …) in one colour, sharp at every
/// pixel ratio.
QIcon icon(const QString& name, const QColor& color, const QColor& disabledColor = {});

}  // namespace lockstep::widgets
