#include "widgets/export/figure_tex.h"

#include <QDateTime>
#include <QPen>
#include <QStringList>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "widgets/export/figure.h"
#include "widgets/plots/card_legend.h"
#include "widgets/plots/curve_pen.h"
#include "widgets/plots/event_marks.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr double kSecondsPerHour = 3600, kTexPlotPx = 325;  ///< 8.6 cm
constexpr const char* kMarkers[] = {"*", "square*", "diamond*", "triangle*"};

QString escaped(const QString& text) {
  QString out;
  for (const QChar each : text) {
    if (each == u'\\') {
      out += QStringLiteral("\\textbackslash{}");
    } else if (each == u'^' || each == u'~') {
      out += QStringLiteral("\\%1{}").arg(each);
    } else if (each == QChar(0x00b0)) {
      out += QStringLiteral("\\textdegree{}");
    } else {
      if (QStringLiteral("_%&#${}").contains(each)) out += u'\\';
      out += each;
    }
  }
  return out;
}

/// The fewest digits that give the same number back.
QByteArray number(double value) {
  if (std::isnan(value)) return "nan";
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
  return {digits, end - digits};
}

/// x of a plot as TeX can count it.
class TexAxis {
 public:
  explicit TexAxis(const FigurePlot& plot)
      : isTime_(plot.axis == XAxis::Relative || plot.axis == XAxis::Wall),
        from_(plot.axis == XAxis::Wall ? plot.x.first : 0),
        name_(!isTime_     ? plot.xName()
              : from_ == 0 ? QStringLiteral("Time since the start, h")
                           : QStringLiteral("Hours since %1")
                                 .arg(QDateTime::fromSecsSinceEpoch(std::llround(from_))
                                          .toString(QStringLiteral("yyyy-MM-dd HH:mm")))) {}
  double at(double x) const { return isTime_ ? (x - from_) / kSecondsPerHour : x; }
  QString name() const { return name_; }

 private:
  bool isTime_;
  double from_;
  QString name_;
};

QByteArray colorOf(const QColor& color) {
  return QStringLiteral("{rgb,255:red,%1;green,%2;blue,%3}")
      .arg(color.red())
      .arg(color.green())
      .arg(color.blue())
      .toLatin1();
}

/// Colour, width and dashes of a pen. px are three quarters of a point.
QByteArray styleOf(const QPen& pen) {
  constexpr double kPointsPerPx = 0.75;
  QByteArray style = "color=" + colorOf(pen.color()) +
                     ", line width=" + number(pen.widthF() * kPointsPerPx) + "pt";
  if (pen.color().alpha() < 255)
    style += ", opacity=" + number(std::round(double{pen.color().alphaF()} * 100) / 100);
  if (pen.style() == Qt::SolidLine) return style;
  style += ", dash pattern=";
  bool isOn = true;
  for (const qreal dash : pen.dashPattern()) {
    style += QByteArray(isOn ? "on " : "off ") + number(dash * pen.widthF() * kPointsPerPx) + "pt ";
    isOn = !isOn;
  }
  return style.trimmed();
}

void addLine(QByteArray& tex, const std::vector<QPointF>& line, const TexAxis& axis,
             const QByteArray& options, const QByteArray& end = {}) {
  tex += "\\addplot[" + options + "] coordinates {\n";
  for (const QPointF& point : line)
    tex += '(' + number(axis.at(point.x())) + ',' + number(point.y()) + ")\n";
  tex += '}' + end + ";\n";
}

/// A closed path for each part of a band without a gap. What has no place on a log axis is at its
/// end: TeX would leave the point out, and close the path elsewhere.
void addBand(QByteArray& tex, const FigurePlot& plot, const CurveLines::Band& band,
             const TexAxis& axis) {
  const QByteArray options =
      "forget plot, draw=none, fill=" + colorOf(band.color) +
      ", fill opacity=" + number(std::round(double{band.color.alphaF()} * 100) / 100);
  const std::size_t count = std::min(band.top.size(), band.bottom.size());
  const auto isGap = [&](std::size_t i) {
    return !std::isfinite(band.top[i].y()) || !std::isfinite(band.bottom[i].y());
  };
  for (std::size_t begin = 0, end = 0; begin < count; begin = end + 1) {
    for (end = begin; end < count && !isGap(end);) ++end;
    if (end - begin < 2) continue;
    const auto from = static_cast<std::ptrdiff_t>(begin), to = static_cast<std::ptrdiff_t>(end);
    std::vector<QPointF> outline(band.top.begin() + from, band.top.begin() + to);
    outline.insert(outline.end(), std::reverse_iterator(band.bottom.begin() + to),
                   std::reverse_iterator(band.bottom.begin() + from));
    if (plot.isLogY)
      for (QPointF& point : outline)
        if (point.y() <= 0) point.setY(plot.y.first);
    addLine(tex, outline, axis, options, " -- cycle");
  }
}

/// As markShape().
QByteArray texMark(EventMark::Kind kind) {
  using enum EventMark::Kind;
  switch (kind) {
    case Checkpoint:
      return "mark=triangle*, mark options={solid";
    case Evaluation:
      return "mark=*, mark options={solid";
    case LearningRate:
      return "mark=triangle*, mark options={solid, rotate=180";
    case Resume:
      return "mark=triangle*, mark options={solid, rotate=270";
    case Fork:
      return "mark=diamond*, mark options={solid";
    case Alert:
      return "mark=square*, mark options={solid";
  }
  return {};
}

/// On the axis; those that would cover one another on the screen are left out.
void addMarks(QByteArray& tex, const FigurePlot& plot, const TexAxis& axis) {
  const PixelMap toX(plot.x, 0, kTexPlotPx, plot.isLogX);
  for (const PlacedMarks& placed : placeMarks(plot.marks, toX)) {
    std::vector<QPointF> points;
    for (const EventMark& mark : plot.marks)
      if (mark.kind == placed.kind && std::ranges::find(placed.x, toX(mark.x)) != placed.x.end())
        points.push_back({mark.x, plot.y.first});
    if (points.empty()) continue;
    addLine(tex, points, axis,
            "only marks, mark size=1.8pt, color=" + colorOf(markColor(placed.kind, lightTheme())) +
                ", " + texMark(placed.kind) + "}");
    tex += "\\addlegendentry{" + escaped(markName(placed.kind)).toUtf8() + "}\n";
  }
}

void addCurve(QByteArray& tex, const FigurePlot& plot, const FigureCurve& each, const TexAxis& axis,
              bool isOneRun) {
  const LinePens pens = linePens(each.curve, !each.samples.smooth.empty(), lightTheme());
  const bool isSmoothed = !each.samples.smooth.empty();
  if (isSmoothed && !isCrowd(plot.styles()))
    addLine(tex, each.samples.raw, axis, "forget plot, " + styleOf(pens.raw));
  QByteArray options = styleOf(isSmoothed ? pens.smooth : pens.raw);
  if (each.curve.kind == Curve::Kind::Evaluation)
    options += QByteArray(", mark=") + kMarkers[std::max(each.curve.styleIndex, 0) % 4] +
               ", mark size=1.5pt, mark options={solid" +
               (isFilled(each.curve) ? "" : ", fill=white") + '}';
  addLine(tex, isSmoothed ? each.samples.smooth : each.samples.raw, axis, options);
  const QString name =
      isOneRun ? each.curve.name : each.curve.run + QStringLiteral(": ") + each.curve.name;
  tex += "\\addlegendentry{" + escaped(name).toUtf8() + "}\n";
}

QByteArray axisOptions(const FigurePlot& plot, const TexAxis& axis) {
  QByteArray options =
      "title={" + escaped(plot.title).toUtf8() + "},\n  xlabel={" + escaped(axis.name()).toUtf8() +
      "}, ylabel={" + escaped(plot.yName()).toUtf8() +
      "},\n  xmin=" + number(axis.at(plot.x.first)) + ", xmax=" + number(axis.at(plot.x.second)) +
      ", ymin=" + number(plot.y.first) + ", ymax=" + number(plot.y.second);
  if (plot.isLogX) options += ", xmode=log";
  if (plot.isLogY) options += ", ymode=log";
  return options;
}

void addPlot(QByteArray& tex, const FigurePlot& plot, const QByteArray& begin) {
  const TexAxis axis(plot);
  const auto entries = legendEntries(plot.styles());
  const bool isOneRun = entries.empty() || !entries.front().anyRun;
  tex += begin + "[\n  " + axisOptions(plot, axis) + "\n]\n";
  for (std::size_t i = plot.curves.size(); i-- > 0;)
    for (const CurveLines::Band& band : bandsAt(plot, i)) addBand(tex, plot, band, axis);
  for (const FigureCurve& each : plot.curves)
    if (!each.samples.raw.empty()) addCurve(tex, plot, each, axis, isOneRun);
  addMarks(tex, plot, axis);
}

constexpr const char* kStyle =
    "width=8.6cm, height=6cm, ymajorgrids, axis lines=left, unbounded coords=jump,\n"
    "  scaled ticks=false, tick label style={font=\\footnotesize, /pgf/number "
    "format/fixed},\n"
    "  legend style={font=\\footnotesize, draw=none}, legend cell align=left";

}  // namespace

QByteArray texOf(const Figure& figure) {
  QByteArray tex = "% Runs: " + figure.runNames().simplified().toUtf8() +
                   "\n% Needs \\usepackage{pgfplots}, \\pgfplotsset{compat=1.16} and "
                   "\\usepgfplotslibrary{groupplots}\n"
                   "% Lines hold the minimum and maximum of each pixel column; the CSV has every "
                   "point.\n\\begin{tikzpicture}\n";
  const FigureLayout layout = figureLayout(figure.plots.size());
  if (figure.plots.size() == 1) {
    tex += QByteArray("\\pgfplotsset{every axis/.append style={\n  ") + kStyle + "}}\n";
    addPlot(tex, figure.plots.front(), "\\begin{axis}");
    tex += "\\end{axis}\n\\end{tikzpicture}\n";
    return tex;
  }
  const auto plots = static_cast<int>(figure.plots.size());
  tex += "\\begin{groupplot}[\n  group style={group size=" + QByteArray::number(layout.columns) +
         " by " + QByteArray::number((plots + layout.columns - 1) / layout.columns) +
         ", horizontal sep=1.8cm, vertical sep=2.2cm},\n  " + kStyle + "]\n";
  for (const FigurePlot& plot : figure.plots) addPlot(tex, plot, "\\nextgroupplot");
  tex += "\\end{groupplot}\n\\end{tikzpicture}\n";
  return tex;
}

}  // namespace lockstep::widgets
