#pragma once

#include <QString>

namespace lockstep::app {

/// The lines in which two texts differ, each with its number and "−" (in `before`) or "+" (in
/// `after`). Empty: the texts are equal. Lists at most `maxLines`, then how many more there are.
QString lineDifference(const QString& before, const QString& after, int maxLines = 200);

}  // namespace lockstep::app
