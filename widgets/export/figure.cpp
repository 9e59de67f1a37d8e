#include "widgets/export/figure.h"

#include <QStringList>
#include <algorithm>
#include <iterator>
#include <utility>

#include "widgets/plots/curve_pen.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

/// Columns a px, of which a PNG has two pixels: more would be bytes that nobody sees.
constexpr double kColumnsPerPx = 1.5;
constexpr QSizeF kSinglePx(640, 420), kOneOfManyPx(400, 270);
constexpr std::size_t kFewPlots = 4;

}  // namespace

std::vector<Curve> FigurePlot::styles() const {
  std::vector<Curve> styles;
  for (const FigureCurve& each : curves) styles.push_back(each.curve);
  return styles;
}

QString FigurePlot::xName() const {
  switch (axis) {
    case XAxis::Step:
      return tr("Step");
    case XAxis::Epoch:
      return tr("Epoch");
    case XAxis::Images:
      return tr("Images");
    case XAxis::Relative:
      return tr("Time since the start, h:mm:ss");
    case XAxis::Wall:
      return tr("Time of day");
  }
  return {};
}

QString FigurePlot::yName() const { return title.section(QStringLiteral(": "), 0, 0); }

QString Figure::runNames() const {
  QStringList names;
  for (const Run& run : runs) names.append(run.name);
  return names.join(QStringLiteral(", "));
}

FigureLayout figureLayout(std::size_t plots) {
  if (plots <= 1) return {1, kSinglePx};
  return {plots <= kFewPlots ? 2 : 3, kOneOfManyPx};
}

FigurePlot figurePlot(const PlotView& view, const QString& title, std::size_t plots,
                      FigureContent content, const std::vector<EventMark>& marks) {
  FigurePlot taken{title, view.xAxis(), view.isLogX(), view.isLogY(), {}, {}, {}, {}};
  taken.curves.resize(view.curves().size());
  std::vector<CurveSamples> samples(taken.curves.size());
  if (content == FigureContent::Drawing) {
    PlotView printed = view;
    const int widthPx = static_cast<int>(figureLayout(plots).plotPx.width() * kColumnsPerPx);
    taken.x = view.x();
    printed.setWidth(widthPx, widthPx);
    printed.zoomX(taken.x);  // else its ends would be those of a plot of this width
    samples = printed.samples();
    taken.y = printed.y(samples);
    std::ranges::copy_if(marks, std::back_inserter(taken.marks), [&](const EventMark& mark) {
      return mark.x >= taken.x.first && mark.x <= taken.x.second;
    });
  }
  for (std::size_t i = 0; i < taken.curves.size(); ++i) {
    FigureCurve& each = taken.curves[i];
    each.curve = view.curves()[i];
    each.samples = std::move(samples[i]);
    const auto source = std::exchange(each.curve.source, nullptr);
    if (!source) continue;
    if (content == FigureContent::Table) each.points = source->allPoints();
    if (content == FigureContent::Drawing) each.lowest = source->lowest();
  }
  return taken;
}

std::vector<CurveLines::Band> bandsAt(const FigurePlot& plot, std::size_t curve) {
  const FigureCurve& own = plot.curves[curve];
  std::vector<CurveLines::Band> bands;
  if (!own.samples.bandLow.empty())
    bands.push_back(
        {own.samples.bandHigh, own.samples.bandLow, deviationColor(own.curve, lightTheme())});
  const auto other = static_cast<std::size_t>(own.curve.gapTo);
  if (own.curve.gapTo < 0 || other >= plot.curves.size()) return bands;
  const ShadedGap gap = shadedGap(own.samples, plot.curves[other].samples,
                                  own.lowest ? std::optional(own.lowest->x) : std::nullopt);
  for (const auto interval : {ShadedGap::UntilLowest, ShadedGap::SinceLowest})
    bands.push_back({gap.bands[interval].top, gap.bands[interval].bottom,
                     gapColor(own.curve, interval, lightTheme())});
  return bands;
}

}  // namespace lockstep::widgets
