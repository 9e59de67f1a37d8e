#include "app/models/series_figures.h"

namespace lockstep::app {

widgets::RangeFigures figuresOf(const MetricSeries& series, const XScale& scale, double low,
                                double high) {
  widgets::RangeFigures figures;
  for (std::size_t i = scale.firstAt(series.axis(), low); i < series.size(); ++i) {
    const double x = scale.at(series.axis(), i);
    if (x > high) break;
    figures.add(x, series.value(i));
  }
  return figures;
}

}  // namespace lockstep::app
