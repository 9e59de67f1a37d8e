#include "widgets/instances/checkpoint_analysis.h"

#include <algorithm>
#include <exception>

namespace lockstep::widgets {
namespace {

void sortAll(ClassTallies& tallies) {
  for (auto& [category, tally] : tallies) tally.sort();
}

void addPastLimit(const std::vector<coco::Detection>& detections, coco::PastLimit& past) {
  std::map<CategoryId, std::size_t> counts;
  for (const coco::Detection& detection : detections) ++counts[detection.categoryId];
  std::size_t ignored = 0;
  for (const auto& [category, count] : counts) ignored += count - std::min(count, past.limit);
  past.detections += ignored;
  past.imagesOfDetections += ignored > 0 ? 1 : 0;
}

}  // namespace

std::shared_ptr<const CheckpointAnalysis> analyseCheckpoint(
    const coco::Dataset& dataset, qint64 step, const PredictionStore::ByImage& predictions,
    double iouThreshold, const MatchRules& rules) {
  auto analysis = std::make_shared<CheckpointAnalysis>();
  analysis->step = step;
  analysis->pastLimit = coco::objectsPastLimit(dataset, rules.mostDetections);
  for (std::size_t index = 0; index < dataset.images().size(); ++index) {
    const coco::Image& image = dataset.images()[index];
    const auto found = predictions.find(image.id);
    if (found == predictions.end()) continue;
    addPastLimit(*found->second, analysis->pastLimit);
    try {
      const ImageContent content{image, &dataset.annotationsOf(index), found->second.get(), rules};
      const coco::ImageOverlaps overlaps = overlapsOf(content);
      ClassTallies& ofImage = analysis->images[image.id];
      addToTallies(overlaps, iouThreshold, ofImage);
      addToTallies(overlaps, iouThreshold, analysis->all);
      sortAll(ofImage);
    } catch (const std::exception& error) {
      if (analysis->failure.isEmpty()) {
        analysis->failure = QString::fromStdString(image.fileName) % QStringLiteral(": ") %
                            QString::fromUtf8(error.what());
      }
    }
  }
  sortAll(analysis->all);
  return analysis;
}

}  // namespace lockstep::widgets
