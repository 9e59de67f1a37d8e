#pragma once

#include <QByteArray>
#include <QImage>
#include <QSizeF>
#include <QString>
#include <functional>

class QPainter;

namespace lockstep::widgets {

/// What is painted on a file, taken as values.
struct Drawing {
  QString title;
  QSizeF sizePx;                         ///< of 1/96 inch
  int pixelsPerPx = 1;                   ///< of a PNG
  std::function<void(QPainter&)> paint;  ///< any thread
};

enum class DrawingFormat { Pdf, Svg, Png };
/// "PDF, vector graphics", without the resolution of a PNG.
QString nameOf(DrawingFormat format);
/// Of the name of a file, without the dot.
QString suffixOf(DrawingFormat format);

/// The bytes of the file; empty: the picture is too large. Any thread.
QByteArray fileOf(const Drawing& drawing, DrawingFormat format);
/// Null: too large. Any thread.
QImage pictureOf(const Drawing& drawing);

}  // namespace lockstep::widgets
