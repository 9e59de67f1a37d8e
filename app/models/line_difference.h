#pragma once

#include <QString>

namespace lockstep::app {

/// The lines in which two texts differ, each with its number and a mark: "−" of `before`, "+" of
/// `after`. Empty: they are the same. At most `mostLines`, then how many more there are.
QString lineDifference(const QString& before, const QString& after, int mostLines = 200);

}  // namespace lockstep::app
