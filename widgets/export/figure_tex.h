#pragma once

#include <QByteArray>

namespace lockstep::widgets {

struct Figure;

/// A tikzpicture of pgfplots, to be read with \input; its first lines say what the preamble needs.
/// Times are in hours. Any thread.
QByteArray texOf(const Figure& figure);

}  // namespace lockstep::widgets
