#include "widgets/export/figure.h"

#include <QCoreApplication>
#include <QStringList>
#include <utility>

namespace lockstep::widgets {
namespace {

/// Pixel columns a px: a PNG has twice as many.
constexpr int kColumnsPerPx = 2;
constexpr QSizeF kSinglePx(640, 420), kOneOfManyPx(400, 270);
constexpr std::size_t kFewPlots = 4;

QString tr(const char* text) { return QCoreApplication::translate("Figure", text); }

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
                      FigureContent content) {
  FigurePlot taken{title, view.xAxis(), view.isLogX(), view.isLogY(), {}, {}, {}};
  taken.curves.resize(view.curves().size());
  std::vector<CurveSamples> samples(taken.curves.size());
  if (content == FigureContent::Drawing) {
    PlotView printed = view;
    const int widthPx = static_cast<int>(figureLayout(plots).plotPx.width()) * kColumnsPerPx;
    printed.setWidth(widthPx, widthPx);
    samples = printed.samples();
    taken.x = printed.x();
    taken.y = printed.y(samples);
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

}  // namespace lockstep::widgets
