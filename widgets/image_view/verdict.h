#pragma once

#include <QColor>
#include <QPen>
#include <QString>

class QPainter;
class QRectF;

namespace lockstep::widgets {

struct Theme;

/// How an instance stands to the other side at the chosen thresholds.
enum class Verdict {
  TruePositive,
  FalsePositive,
  Missed,
  /// A detection on a crowd region, or past the hundred best of its class: counts neither way.
  Ignored,
};

/// What is wrong with an instance.
enum class InstanceError {
  None,
  Localisation,  ///< right class, but the overlap is too small for a match
  Duplicate,     ///< its object is already taken by a detection with a higher score
  WrongClass,    ///< matches an object of another class
  Background,    ///< matches nothing
  Missed,
};

QString verdictName(Verdict verdict);
QString errorName(InstanceError error);
QColor verdictColour(Verdict verdict, const Theme& theme);
/// Cosmetic pen: solid true positives, dashed false positives, dotted missed ones, so that colour
/// is never alone.
QPen verdictPen(Verdict verdict, const Theme& theme, double widthPx);
/// Mark of the verdict in tables and legends: disc, diamond, ring, dash.
void paintVerdictMark(QPainter& painter, const QRectF& rect, Verdict verdict, const Theme& theme);

}  // namespace lockstep::widgets
