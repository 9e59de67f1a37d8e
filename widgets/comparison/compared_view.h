#pragma once

#include <QString>

namespace lockstep::widgets {

/// What of A and B is meant.
enum class ComparedView { First, Second, Difference };

}  // namespace lockstep::widgets
