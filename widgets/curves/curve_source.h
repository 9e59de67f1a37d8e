#pragma once

#include <QPointF>
#include <QString>
#include <QtGlobal>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace lockstep::widgets {

/// One point of a curve in full.
struct CurveReading {
  double x = 0;
  double value = 0;   ///< may be NaN or infinite
  double smooth = 0;  ///< equals value where the curve is not smoothed
  qint64 step = 0;
  double seconds = 0;  ///< since the run began
};

/// A curve cut down to pixel columns.
struct CurveSamples {
  std::vector<QPointF> raw;        ///< rising x; a NaN y is a gap
  std::vector<QPointF> smooth;     ///< empty: raw is the curve
  std::vector<QPointF> nonFinite;  ///< where a value is NaN or infinite, at the last finite y
};

/// Points of one curve as a plot asks for them. GUI thread; the cost grows with the columns asked
/// for, not with the points.
class CurveSource {
 public:
  virtual ~CurveSource() = default;
  virtual bool isEmpty() const = 0;
  /// x of the first and of the last point; not called when empty.
  virtual std::pair<double, double> xRange() const = 0;
  /// columnEdges: n + 1 rising x of n pixel columns. Keeps every column's least and greatest value,
  /// and one point beyond either side, so that lines run to the border.
  virtual CurveSamples sample(const std::vector<double>& columnEdges) const = 0;
  /// At most `atMost` finite values, evenly spread over the points in [low, high].
  virtual std::vector<double> valuesBetween(double low, double high, int atMost) const = 0;
  virtual std::optional<CurveReading> nearest(double x) const = 0;
  /// The least finite value; nothing when there is none.
  virtual std::optional<CurveReading> lowest() const = 0;
};

/// What a plot draws.
struct Curve {
  enum class Kind {
    Line,       ///< many points: the raw line faint, the smoothed one over it
    Evaluation  ///< few points: markers joined by dots
  };
  QString name;            ///< "train", "held-out"
  QString run;             ///< named where several runs are drawn
  int styleIndex = 0;      ///< of the run: colour, dash and marker
  bool hasOwnHue = false;  ///< held-out beside training of one run: in another colour than its run
  Kind kind = Kind::Line;
  enum class Stroke {
    Automatic,  ///< a Line in the run's dash, an Evaluation in dots
    Run,        ///< in the run's dash; the markers of an Evaluation are filled
    Dots
  };
  Stroke stroke = Stroke::Automatic;
  std::shared_ptr<const CurveSource> source;
  bool markLowest = false;  ///< ring at the least value; of the first such curve a label
  int gapTo = -1;           ///< index of the curve up to which the gap is shaded
};

enum class XAxis { Step, Epoch, Relative, Wall };

/// Something that happened at x: a small triangle on the axis, told under the readings there.
struct EventMark {
  double x = 0;
  QString text;
};

}  // namespace lockstep::widgets
