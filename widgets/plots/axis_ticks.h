#pragma once

#include "widgets/curves/curve_source.h"

class QCPAxis;

namespace lockstep::widgets {

/// Ticks and labels of the x axis: round steps, durations or times of day; powers of ten when
/// `log`.
void setXTicks(QCPAxis* axis, XAxis kind, bool log);
/// Ticks and labels of values.
void setYTicks(QCPAxis* axis, bool log);

}  // namespace lockstep::widgets
