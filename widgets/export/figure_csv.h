#pragma once

#include <QByteArray>

namespace lockstep::widgets {

struct Figure;

/// Every point of a FigureContent::Table, a line each: card,run,curve,tag,step,seconds,value. A
/// value read back is the logged one, bit for bit; `nan`, `inf` and `-inf` as in Python. Any
/// thread.
QByteArray csvOf(const Figure& figure);

}  // namespace lockstep::widgets
