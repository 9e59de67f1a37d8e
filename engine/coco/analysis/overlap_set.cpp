#include "engine/coco/analysis/overlap_set.h"

#include "engine/base/parallel_for.h"
#include "engine/coco/evaluation/detections_by_image.h"

namespace lockstep::coco {
namespace {

template <typename Entry>
std::vector<std::uint32_t> rowsOfEntries(const Dataset& groundTruth,
                                         const std::vector<Entry>& entries) {
  std::vector<std::uint32_t> rows;
  rows.reserve(entries.size());
  for (const Entry& entry : entries) {
    rows.push_back(static_cast<std::uint32_t>(groundTruth.classOf(entry.category).value - 1));
  }
  return rows;
}

std::vector<std::uint8_t> sizesOf(const std::vector<OverlapDetection>& detections,
                                  const std::vector<AreaRange>& areas) {
  static_assert(kMostAreas <= 8);
  std::vector<std::uint8_t> sizes(detections.size(), 0);
  for (std::size_t d = 0; d < detections.size(); ++d) {
    for (std::size_t a = 0; a < areas.size(); ++a) {
      const bool fits = areas[a].contains(detections[d].areaPx);
      sizes[d] = static_cast<std::uint8_t>(sizes[d] | fits << a);
    }
  }
  return sizes;
}

}  // namespace

OverlapSet::OverlapSet(const Dataset& groundTruth, const Params& params)
    : categories_(groundTruth.categories()),
      areas_(params.areas),
      images_(groundTruth.images().size()),
      rows_(groundTruth.images().size()) {
  for (const Image& image : groundTruth.images()) imageIds_.push_back(image.id);
}

OverlapSet::OverlapSet(const Dataset& groundTruth, const std::vector<Detection>& detections,
                       IouType type, const Params& params, int threads)
    : OverlapSet(groundTruth, params) {
  const auto byImage = detectionsByImage(groundTruth, detections);
  base::parallelFor(images_.size(), threads, [&](std::size_t i) {
    addImage(groundTruth, i, byImage[i], type, params);
    for (OverlapDetection& detection : images_[i].detections) {
      detection.index = static_cast<std::uint32_t>(byImage[i][detection.index] - detections.data());
    }
  });
}

OverlapSet::OverlapSet(const Dataset& groundTruth, const ResultsFile& results, IouType type,
                       const Params& params, int threads)
    : OverlapSet(groundTruth, params) {
  base::parallelFor(images_.size(), threads, [&](std::size_t i) {
    const std::vector<Detection> detections = results.detectionsOf(i);
    std::vector<const Detection*> pointers;
    pointers.reserve(detections.size());
    for (const Detection& detection : detections) pointers.push_back(&detection);
    addImage(groundTruth, i, pointers, type, params);
    for (OverlapDetection& detection : images_[i].detections) {
      detection.index = results.indicesOf(i)[detection.index];
    }
  });
}

void OverlapSet::addImage(const Dataset& groundTruth, std::size_t image,
                          std::span<const Detection* const> detections, IouType type,
                          const Params& params) {
  images_[image] = findOverlaps(groundTruth.images()[image], groundTruth.annotationsOf(image),
                                detections, type, params);
  rows_[image] = {rowsOfEntries(groundTruth, images_[image].detections),
                  rowsOfEntries(groundTruth, images_[image].annotations),
                  sizesOf(images_[image].detections, areas_)};
}

}  // namespace lockstep::coco
