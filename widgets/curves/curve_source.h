#pragma once

#include <QPointF>
#include <QString>
#include <QtGlobal>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "widgets/curves/range_figures.h"

namespace lockstep::widgets {

/// One point of a curve with its step and time.
struct CurveReading {
  double x = 0;
  double value = 0;   ///< may be NaN or infinite
  double smooth = 0;  ///< equals value if the curve is not smoothed
  qint64 step = 0;
  double seconds = 0;    ///< since the run began
  double base = 0;       ///< of a part of a stack: what is below it, not of its own value
  double deviation = 0;  ///< of a mean: the standard deviation
  int runs = 0;          ///< of a mean: how many runs have values
};

/// Every point of a curve as it was logged.
struct CurvePoints {
  QString tag;
  std::vector<qint64> steps;   ///< ascending
  std::vector<float> seconds;  ///< since the run began
  std::vector<float> values;   ///< may be NaN or infinite
};

/// A curve downsampled to pixel columns.
struct CurveSamples {
  std::vector<QPointF> raw;                ///< ascending x; a NaN y is a gap
  std::vector<QPointF> smooth;             ///< empty: not smoothed
  std::vector<QPointF> bandLow, bandHigh;  ///< what is shaded around a mean; empty: nothing
  std::vector<QPointF> nonFinite;  ///< where a value is NaN or infinite, at the last finite y
};

/// Gives a plot the points of one curve. GUI thread only; the cost grows with the number of
/// columns, not of points.
class CurveSource {
 public:
  virtual ~CurveSource() = default;
  virtual bool isEmpty() const = 0;
  /// x of the first and of the last point; call it only if the curve is not empty.
  virtual std::pair<double, double> xRange() const = 0;
  /// columnEdges: n + 1 ascending x of n pixel columns. Keeps the minimum and maximum of every
  /// column, and one point beyond each side, so that lines run to the border.
  virtual CurveSamples sample(const std::vector<double>& columnEdges) const = 0;
  /// At most `atMost` finite values, evenly spread over the points in [low, high].
  virtual std::vector<double> valuesBetween(double low, double high, int atMost) const = 0;
  virtual std::optional<CurveReading> nearest(double x) const = 0;
  /// Of all points at x in [low, high].
  virtual RangeFigures figuresBetween(double low, double high) const = 0;
  /// The point with the lowest finite value, if there is one.
  virtual std::optional<CurveReading> lowest() const = 0;
  /// For files: gathers every point that there is now. Any thread may call what it returns, also
  /// while points come or are cut off, and after the source is gone.
  virtual std::function<CurvePoints()> allPoints() const = 0;
};

/// What a plot draws.
struct Curve {
  enum class Kind {
    Line,       ///< many points: the raw line faint, the smoothed one over it
    Evaluation  ///< few points: markers joined by a dotted line
  };
  QString name;            ///< "train", "held-out"
  QString run;             ///< shown if several runs are drawn
  int styleIndex = 0;      ///< of the run: colour, dash and marker
  bool hasOwnHue = false;  ///< drawn in heldOutColor(), not in the colour of its run
  Kind kind = Kind::Line;
  enum class Stroke {
    Automatic,  ///< a Line in the run's dash, an Evaluation dotted
    Run,        ///< in the run's dash; the markers of an Evaluation are filled
    Dots        ///< dotted
  };
  Stroke stroke = Stroke::Automatic;
  std::shared_ptr<const CurveSource> source;
  bool markLowest = false;  ///< ring at the lowest value; the lowest of all gets a label
  QString valueName;        ///< "held-out loss" in that label; may be empty
  int gapTo = -1;           ///< index of the curve to which the gap is shaded; -1: none
};

enum class XAxis { Step, Epoch, Images, Relative, Wall };

/// An event at x: a small mark on the axis, with its text below the readings there.
struct EventMark {
  /// The later ones are more important where marks would cover one another.
  enum class Kind { Checkpoint, Evaluation, LearningRate, Resume, Fork, Alert };
  double x = 0;
  QString text;
  Kind kind = Kind::Checkpoint;
};

}  // namespace lockstep::widgets
