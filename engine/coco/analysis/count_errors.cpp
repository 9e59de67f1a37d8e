#include "engine/coco/analysis/count_errors.h"

#include <cmath>

namespace lockstep::coco {
namespace {

/// Sums over images.
class Tally {
 public:
  void add(std::int64_t objects, std::int64_t detections) {
    const auto difference = static_cast<double>(detections - objects);
    ++images_;
    absolute_ += std::abs(difference);
    signed_ += difference;
    if (objects == 0) return;
    ++imagesWithObjects_;
    relative_ += std::abs(difference) / static_cast<double>(objects);
  }
  CountError error() const {
    CountError error{.images = images_, .imagesWithObjects = imagesWithObjects_};
    if (images_ > 0) {
      error.mae = absolute_ / static_cast<double>(images_);
      error.bias = signed_ / static_cast<double>(images_);
    }
    if (imagesWithObjects_ > 0) error.mape = relative_ / static_cast<double>(imagesWithObjects_);
    return error;
  }

 private:
  double absolute_ = 0, signed_ = 0, relative_ = 0;
  std::size_t images_ = 0, imagesWithObjects_ = 0;
};

}  // namespace

CountErrors countErrors(const Dataset& groundTruth, const ResultsFile& results,
                        double scoreThreshold) {
  const std::size_t classes = groundTruth.categories().size();
  std::vector<Tally> ofClasses(classes);
  Tally all;
  for (std::size_t i = 0; i < groundTruth.images().size(); ++i) {
    std::vector<std::int64_t> objects(classes, 0), detections(classes, 0);
    const auto rowOf = [&](CategoryId id) {
      return static_cast<std::size_t>(groundTruth.classOf(id).value - 1);
    };
    for (const Annotation& annotation : groundTruth.annotationsOf(i))
      if (!annotation.isCrowd) ++objects[rowOf(annotation.categoryId)];
    results.forScores(i, [&](CategoryId id, double score) {
      if (score >= scoreThreshold) ++detections[rowOf(id)];
    });
    std::int64_t allObjects = 0, allDetections = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      ofClasses[k].add(objects[k], detections[k]);
      allObjects += objects[k];
      allDetections += detections[k];
    }
    all.add(allObjects, allDetections);
  }
  CountErrors errors{all.error(), {}};
  for (const Tally& tally : ofClasses) errors.classes.push_back(tally.error());
  return errors;
}

}  // namespace lockstep::coco
