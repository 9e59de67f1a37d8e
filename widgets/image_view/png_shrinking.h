#pragma once

#include <QByteArray>
#include <QImage>
#include <QString>

namespace lockstep::widgets {

/// A PNG with each side divided by `shrink`, a power of two: each pixel is the mean of those that
/// it stands for, of an interlaced PNG one of them. Decoded row by row, in the memory of the result
/// and of one row, which QImageReader needs for all pixels of a grey or interlaced file. A null
/// picture: `error` says why. Call it from any thread.
QImage decodePngSmaller(const QByteArray& bytes, int shrink, QString& error);

}  // namespace lockstep::widgets
