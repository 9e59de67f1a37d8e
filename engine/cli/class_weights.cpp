#include "engine/cli/class_weights.h"

#include "engine/coco/files/training_images.h"

namespace lockstep::cli {

void resolveClassWeights(config::Experiment& experiment) {
  config::ListOrWord<double>& weights = experiment.solver.classWeights;
  if (weights.word != "inverse" || experiment.dataset.train.annotations.empty()) return;
  const auto dataset = coco::Dataset::load(experiment.dataset.train.annotations);
  weights = {coco::inverseClassWeights(dataset,
                                       coco::trainingImages(dataset, experiment.dataset.skipEmpty)),
             ""};
}

}  // namespace lockstep::cli
