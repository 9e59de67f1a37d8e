#pragma once

#include "widgets/curves/curve_source.h"

class QCPAxis;

namespace lockstep::widgets {

/// Ticks and labels of the x axis: round steps, epochs, numbers of images, durations or times of
/// day; logTicks() if `log`.
void setXTicks(QCPAxis* axis, XAxis kind, bool log);
/// Ticks and labels of the y axis.
void setYTicks(QCPAxis* axis, bool log);

}  // namespace lockstep::widgets
