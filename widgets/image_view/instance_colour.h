#pragma once

#include <QColor>
#include <QString>
#include <array>

#include "widgets/instances/instance_match.h"

namespace lockstep::widgets {

struct Theme;

/// What the colours of outlines and fills stand for. Dashes stand for verdicts always.
enum class ColourBy { Verdict, Class, Instance, Score };
inline constexpr std::array kColourModes{ColourBy::Verdict, ColourBy::Class, ColourBy::Instance,
                                         ColourBy::Score};
QString colourModeName(ColourBy by);

/// `classPlace`: place of the class in its dataset. Missed objects have no score: there the colour
/// is that of their verdict. The colours of classes and instances repeat.
QColor instanceColour(const InstanceFacts& facts, int classPlace, ColourBy by, const Theme& theme);

/// Colour of a score, 0 … 1.
QColor scoreColour(double score, const Theme& theme);

}  // namespace lockstep::widgets
