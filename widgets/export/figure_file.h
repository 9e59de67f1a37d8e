#pragma once

#include <QByteArray>
#include <QImage>

#include "widgets/export/figure.h"

namespace lockstep::widgets {

enum class FigureFormat { Pdf, Svg, Png, Csv, Tex };
/// Of the name of a file, without the dot.
QString suffixOf(FigureFormat format);
FigureContent contentFor(FigureFormat format);

/// The bytes of the file. Any thread.
QByteArray fileOf(const Figure& figure, FigureFormat format);
/// With two pixels a px. Any thread.
QImage pictureOf(const Figure& figure);

}  // namespace lockstep::widgets
