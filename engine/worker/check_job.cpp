#include <torch/types.h>

#include "engine/checkpoint/load_weights.h"
#include "engine/coco/dataset.h"
#include "engine/model/mask_rcnn.h"
#include "engine/worker/jobs.h"

namespace lockstep::worker {

protocol::Finished runCheck(const JobContext& context) {
  const config::Experiment experiment = experimentOf(context.job);
  const std::string& weights = experiment.model.weights;
  const auto dataset = coco::Dataset::load(experiment.dataset.train.annotations);
  const model::MaskRcnn model(experiment.model,
                              static_cast<std::int64_t>(dataset.categories().size()) + 1,
                              static_cast<std::uint64_t>(experiment.runtime.seed));
  checkpoint::loadWeights(model.namedState(), checkpoint::readSafetensors(weights),
                          checkpoint::WeightsUse::Start, weights);
  return {0, false, ""};
}

}  // namespace lockstep::worker
