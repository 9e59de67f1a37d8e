#include <torch/types.h>

#include "engine/checkpoint/load_weights.h"
#include "engine/coco/files/dataset.h"
#include "engine/model/mask_rcnn.h"
#include "engine/run_folder/run_folder.h"
#include "engine/worker/jobs.h"

namespace lockstep::worker {

protocol::Finished runCheck(const JobContext& context) {
  const config::Experiment experiment = experimentOf(context.job);
  const std::string& checkpoint = context.job.resumeFrom;
  const std::filesystem::path weights =
      checkpoint.empty() ? std::filesystem::path(experiment.model.weights)
                         : std::filesystem::path(checkpoint) / run_folder::kCheckpointFiles[0];
  const auto dataset = coco::Dataset::load(experiment.dataset.train.annotations);
  const model::MaskRcnn model(experiment.model,
                              static_cast<std::int64_t>(dataset.categories().size()) + 1,
                              static_cast<std::uint64_t>(experiment.runtime.seed));
  checkpoint::loadWeights(
      model.namedState(), checkpoint::readSafetensors(weights),
      checkpoint.empty() ? checkpoint::WeightsUse::Start : checkpoint::WeightsUse::Exactly,
      weights.string());
  return {0, false, ""};
}

}  // namespace lockstep::worker
