#include "widgets/instances/class_figures.h"

#include <utility>

#include "engine/base/parallel_for.h"

namespace lockstep::widgets {
namespace {

/// Images that one thread takes at a time.
constexpr std::size_t kFigureChunk = 512;

}  // namespace

std::vector<ClassFigures> classFiguresOf(const CheckpointAnalysis& analysis,
                                         double scoreThreshold) {
  const auto& categories = analysis.overlaps->categories;
  std::vector<ClassFigures> figures;
  for (std::size_t row = 0; row < categories.size(); ++row) {
    const CheckpointOverlaps::OfCategory& category = categories[row];
    figures.push_back({category.id, category.images, category.objects,
                       analysis.all.at(category.id).at(scoreThreshold)});
    if (category.objects == 0) continue;
    const coco::RecallCurve curve = analysis.precisions[row].at(category.countFrom(scoreThreshold));
    figures.back().ap = coco::meanPrecision({&curve, 1});
  }
  return figures;
}

CheckpointFigures figuresOf(std::shared_ptr<const CheckpointAnalysis> analysis,
                            const coco::Dataset& dataset, double scoreThreshold,
                            const std::set<CategoryId>& hidden) {
  CheckpointFigures figures;
  if (analysis->overlaps->rules.hasTruth)
    figures.classes = classFiguresOf(*analysis, scoreThreshold);
  const std::size_t count = dataset.images().size();
  figures.images.resize(count);
  base::parallelForChunks(count, kFigureChunk, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      figures.images[i] = analysis->countsOf(dataset.images()[i].id, scoreThreshold, hidden);
  });
  figures.of = std::move(analysis);
  return figures;
}

}  // namespace lockstep::widgets
