#include "widgets/instances/class_figures.h"

#include <map>

#include "widgets/instances/filtered_ap.h"

namespace lockstep::widgets {
namespace {

/// Images with an object of each class.
std::map<CategoryId, std::size_t> imagesByClass(const CheckpointOverlaps& overlaps) {
  std::map<CategoryId, std::size_t> images;
  std::set<CategoryId> seen;
  for (const CheckpointOverlaps::OfImage& image : overlaps.images) {
    if (!image.overlaps) continue;
    seen.clear();
    for (const coco::OverlapAnnotation& object : image.overlaps->annotations)
      if (!object.isCrowd && seen.insert(object.category).second) ++images[object.category];
  }
  return images;
}

}  // namespace

std::vector<ClassFigures> classFiguresOf(const CheckpointAnalysis& analysis,
                                         double scoreThreshold) {
  const CheckpointOverlaps& overlaps = *analysis.overlaps;
  const auto images = imagesByClass(overlaps);
  std::vector<ClassFigures> figures;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < overlaps.categories.size(); ++row) {
    const CheckpointOverlaps::OfCategory& category = overlaps.categories[row];
    const auto known = images.find(category.id);
    figures.push_back({category.id, known == images.end() ? 0 : known->second, category.objects,
                       analysis.all.at(category.id).at(scoreThreshold)});
    if (category.objects > 0) rows.push_back(row);
  }
  const auto curves = recallCurves(overlaps, analysis.verdicts, scoreThreshold, rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    figures[rows[i]].ap = coco::meanPrecision({&curves[i], 1});
  return figures;
}

}  // namespace lockstep::widgets
