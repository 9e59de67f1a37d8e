#include "widgets/export/figure_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

#include "widgets/export/figure.h"
#include "widgets/export/figure_font.h"
#include "widgets/export/plot_painter.h"
#include "widgets/plots/curve_pen.h"

namespace lockstep::widgets {
namespace {

constexpr double kMarginPx = 14, kGapPx = 14, kRunLinePx = 18, kRunSamplePx = 26, kToRunNamePx = 6,
                 kBetweenRunsPx = 18;

QFont runFont() { return figureFont(12); }

struct RunPlace {
  QPointF topLeft;
  double sampleWidth = 0;
};

double widthOf(const Figure& figure) {
  const FigureLayout layout = figureLayout(figure.plots.size());
  return layout.columns * layout.plotPx.width() + (layout.columns - 1) * kGapPx;
}

/// A single run has a name only: its colour tells nothing.
std::vector<RunPlace> runPlaces(const Figure& figure) {
  const QFontMetricsF metrics(runFont());
  const double sample = figure.runs.size() > 1 ? kRunSamplePx + kToRunNamePx : 0;
  std::vector<RunPlace> places;
  QPointF at(0, 0);
  for (const Figure::Run& run : figure.runs) {
    const double width = sample + metrics.horizontalAdvance(run.name);
    if (at.x() > 0 && at.x() + width > widthOf(figure)) at = {0, at.y() + kRunLinePx};
    places.push_back({at, sample});
    at.rx() += width + kBetweenRunsPx;
  }
  return places;
}

double headHeight(const Figure& figure) {
  return figure.runs.empty() ? 0 : runPlaces(figure).back().topLeft.y() + kRunLinePx + kGapPx / 2;
}

void paintRuns(QPainter& painter, const Figure& figure) {
  const Theme& theme = lightTheme();
  const std::vector<RunPlace> places = runPlaces(figure);
  painter.setFont(runFont());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double middle = places[i].topLeft.y() + kRunLinePx / 2;
    if (places[i].sampleWidth > 0) {
      Curve curve;
      curve.styleIndex = figure.runs[i].styleIndex;
      paintSample(painter, curve, curvePen(curve, theme), {places[i].topLeft.x(), middle},
                  kRunSamplePx, theme.card);
    }
    painter.setPen(theme.text);
    painter.drawText(
        places[i].topLeft + QPointF(places[i].sampleWidth, painter.fontMetrics().ascent()),
        figure.runs[i].name);
  }
}

}  // namespace

QSizeF figureSize(const Figure& figure) {
  const FigureLayout layout = figureLayout(figure.plots.size());
  const auto plots = static_cast<int>(figure.plots.size());
  const int rows = (plots + layout.columns - 1) / layout.columns;
  return {widthOf(figure) + 2 * kMarginPx, headHeight(figure) + rows * layout.plotPx.height() +
                                               std::max(0, rows - 1) * kGapPx + 2 * kMarginPx};
}

void paintFigure(QPainter& painter, const Figure& figure) {
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(QRectF({}, figureSize(figure)), lightTheme().card);
  painter.translate(kMarginPx, kMarginPx);
  paintRuns(painter, figure);
  const FigureLayout layout = figureLayout(figure.plots.size());
  const double top = headHeight(figure);
  for (std::size_t i = 0; i < figure.plots.size(); ++i) {
    const int column = static_cast<int>(i) % layout.columns;
    const int row = static_cast<int>(i) / layout.columns;
    paintPlot(painter, figure.plots[i],
              QRectF({column * (layout.plotPx.width() + kGapPx),
                      top + row * (layout.plotPx.height() + kGapPx)},
                     layout.plotPx));
  }
}

}  // namespace lockstep::widgets
