#include "widgets/export/figure_csv.h"

#include <QString>
#include <charconv>
#include <concepts>

#include "engine/base/csv_text.h"
#include "widgets/export/figure.h"

namespace lockstep::widgets {
namespace {

QByteArray field(const QString& text) {
  return QByteArray::fromStdString(base::csvText(text.toStdString()));
}

/// The fewest digits that give the same number back.
template <typename Number>
requires std::integral<Number> || std::floating_point<Number>
void appendNumber(QByteArray& csv, Number number) {
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  csv.append(digits, end - digits);
}

}  // namespace

QByteArray csvOf(const Figure& figure) {
  QByteArray csv("card,run,curve,tag,step,seconds,value\r\n");
  for (const FigurePlot& plot : figure.plots) {
    for (const FigureCurve& each : plot.curves) {
      if (!each.points) continue;
      const CurvePoints points = each.points();
      const QByteArray names = field(plot.title) + ',' + field(each.curve.run) + ',' +
                               field(each.curve.name) + ',' + field(points.tag) + ',';
      for (std::size_t i = 0; i < points.values.size(); ++i) {
        csv += names;
        appendNumber(csv, points.steps[i]);
        csv += ',';
        appendNumber(csv, points.seconds[i]);
        csv += ',';
        appendNumber(csv, points.values[i]);
        csv += "\r\n";
      }
    }
  }
  return csv;
}

}  // namespace lockstep::widgets
