#include <algorithm>
#include <numeric>

#include "engine/coco/evaluation/average_precision.h"
#include "engine/coco/evaluation/regions.h"

namespace lockstep::coco {
namespace {

/// IoU of every detection with every annotation of its class, -1 with those of other classes.
std::vector<std::vector<double>> iouTable(const Image& image,
                                          const std::vector<Annotation>& annotations,
                                          const std::vector<Detection>& detections, IouType type) {
  std::vector<Region> gtRegions;
  gtRegions.reserve(annotations.size());
  for (const Annotation& annotation : annotations) gtRegions.emplace_back(annotation, image, type);
  std::vector<std::vector<double>> table;
  table.reserve(detections.size());
  for (const Detection& detection : detections) {
    const Region region(detection, image, type);
    std::vector<double>& row = table.emplace_back(annotations.size(), -1);
    for (std::size_t g = 0; g < annotations.size(); ++g) {
      if (annotations[g].categoryId == detection.categoryId) {
        row[g] = region.iouWith(gtRegions[g], annotations[g].isCrowd);
      }
    }
  }
  return table;
}

/// The free annotation of highest IoU, a crowd only where no other is left; -1: none reaches the
/// threshold.
int bestAnnotation(const std::vector<double>& iou, const std::vector<Annotation>& annotations,
                   const std::vector<int>& detectionOfGt, double iouThreshold) {
  for (const bool crowd : {false, true}) {
    int best = -1;
    double least = std::max(iouThreshold, 0.0);
    for (std::size_t g = 0; g < annotations.size(); ++g) {
      if (annotations[g].isCrowd != crowd || iou[g] < least || detectionOfGt[g] >= 0) continue;
      least = iou[g];
      best = static_cast<int>(g);
    }
    if (best >= 0) return best;
  }
  return -1;
}

}  // namespace

ImageMatch matchImage(const Image& image, const std::vector<Annotation>& annotations,
                      const std::vector<Detection>& detections, IouType type, double scoreThreshold,
                      double iouThreshold) {
  const auto iou = iouTable(image, annotations, detections, type);
  ImageMatch match;
  match.gtOfDetection.assign(detections.size(), -2);
  match.iouOfDetection.assign(detections.size(), 0);
  for (const Annotation& annotation : annotations) {
    match.detectionOfGt.push_back(annotation.isCrowd ? -2 : -1);
  }
  std::vector<std::size_t> order(detections.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return detections[a].score > detections[b].score;
  });
  for (std::size_t d : order) {
    for (double value : iou[d]) match.iouOfDetection[d] = std::max(match.iouOfDetection[d], value);
    if (detections[d].score < scoreThreshold) continue;
    const int gt = bestAnnotation(iou[d], annotations, match.detectionOfGt, iouThreshold);
    match.gtOfDetection[d] = gt;
    if (gt < 0) continue;
    match.iouOfDetection[d] = iou[d][static_cast<std::size_t>(gt)];
    if (!annotations[static_cast<std::size_t>(gt)].isCrowd) {
      match.detectionOfGt[static_cast<std::size_t>(gt)] = static_cast<int>(d);
    }
  }
  return match;
}

}  // namespace lockstep::coco
