#include "app/metrics/series_figures.h"

#include <algorithm>

namespace lockstep::app {
namespace {

widgets::RangeFigures& addValues(widgets::RangeFigures& figures, const MetricSeries& series,
                                 const XScale& scale, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i)
    figures.add(scale.at(series.axis(), i), series.value(i));
  return figures;
}

/// Index of the first value after x.
std::size_t firstAfter(const MetricSeries& series, const XScale& scale, double x) {
  std::size_t index = std::min(scale.firstAt(series.axis(), x), series.size());
  while (index < series.size() && scale.at(series.axis(), index) <= x) ++index;
  return index;
}

}  // namespace

widgets::RangeFigures SeriesFigures::between(const MetricSeries& series, const XScale& scale,
                                             double low, double high) {
  addBlocks(series, scale);
  widgets::RangeFigures figures;
  const std::size_t begin = std::min(scale.firstAt(series.axis(), low), series.size());
  const std::size_t end = firstAfter(series, scale, high);
  const std::size_t firstBlock = (begin + kBlock - 1) / kBlock;
  const std::size_t lastBlock = std::min(end / kBlock, blocks_.size());
  if (firstBlock >= lastBlock) return addValues(figures, series, scale, begin, end);
  addValues(figures, series, scale, begin, firstBlock * kBlock);
  for (std::size_t i = firstBlock; i < lastBlock; ++i) figures.add(blocks_[i]);
  return addValues(figures, series, scale, lastBlock * kBlock, end);
}

void SeriesFigures::addBlocks(const MetricSeries& series, const XScale& scale) {
  if (series_ != &series || cuts_ != series.cuts() || !(scale_ == scale)) blocks_.clear();
  series_ = &series;
  cuts_ = series.cuts();
  scale_ = scale;
  while ((blocks_.size() + 1) * kBlock <= series.size()) {
    widgets::RangeFigures block;
    const std::size_t begin = blocks_.size() * kBlock;
    blocks_.push_back(addValues(block, series, scale, begin, begin + kBlock));
  }
}

}  // namespace lockstep::app
