#include "engine/cli/class_weights.h"

#include "engine/coco/files/training_images.h"

namespace lockstep::cli {

std::vector<double> classWeightsOf(const config::SolverConfig& solver, const coco::Dataset& dataset,
                                   std::span<const std::size_t> images) {
  if (solver.classWeights.word != "inverse") return solver.classWeights.values;
  return coco::inverseClassWeights(dataset, images);
}

void resolveClassWeights(config::Experiment& experiment) {
  config::ListOrWord<double>& weights = experiment.solver.classWeights;
  if (weights.word != "inverse" || experiment.dataset.train.annotations.empty()) return;
  const auto dataset = coco::Dataset::load(experiment.dataset.train.annotations);
  weights = {classWeightsOf(experiment.solver, dataset,
                            coco::trainingImages(dataset, experiment.dataset.skipEmpty)),
             ""};
}

}  // namespace lockstep::cli
