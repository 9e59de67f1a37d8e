#include <torch/types.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/parallel_for.h"
#include "engine/checkpoint/load_weights.h"
#include "engine/coco/files/dataset.h"
#include "engine/data/image_file.h"
#include "engine/model/mask_rcnn.h"
#include "engine/run_folder/run_folder.h"
#include "engine/worker/jobs.h"

namespace lockstep::worker {
namespace {

using Json = nlohmann::ordered_json;

void checkWeights(const config::Experiment& experiment, const std::string& checkpoint,
                  const coco::Dataset& dataset) {
  const std::filesystem::path weights =
      checkpoint.empty() ? std::filesystem::path(experiment.model.weights)
                         : std::filesystem::path(checkpoint) / run_folder::kCheckpointFiles[0];
  const model::MaskRcnn model(experiment.model,
                              static_cast<std::int64_t>(dataset.categories().size()) + 1,
                              static_cast<std::uint64_t>(experiment.runtime.seed));
  checkpoint::loadWeights(
      model.namedState(), checkpoint::readSafetensors(weights),
      checkpoint.empty() ? checkpoint::WeightsUse::Start : checkpoint::WeightsUse::Exactly,
      weights.string());
}

/// `count` of `all` places, evenly spread from the first to the last.
std::vector<std::size_t> evenly(std::size_t count, std::size_t all) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < std::min(count, all); ++i)
    places.push_back(count >= all ? i : i * (all - 1) / std::max<std::size_t>(count - 1, 1));
  return places;
}

/// How many are not empty, the first of them, and the ids of the first few.
Json countTexts(const std::vector<std::string>& texts,
                const std::function<std::int64_t(std::size_t)>& idOf) {
  constexpr std::size_t kToldIds = 5;
  std::vector<std::int64_t> ids;
  std::string first;
  std::size_t count = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].empty()) continue;
    if (count++ == 0) first = texts[i];
    if (ids.size() < kToldIds) ids.push_back(idOf(i));
  }
  return {{"count", count}, {"ids", ids}, {"first", first}};
}

/// What reading the pixels of some images as training does finds.
Json lookAtImages(const coco::Dataset& dataset, const std::filesystem::path& folder, int count) {
  const std::vector<std::size_t> places =
      evenly(static_cast<std::size_t>(count), dataset.images().size());
  std::vector<std::string> faults(places.size()), dark(places.size());
  base::parallelFor(places.size(), 0, [&](std::size_t i) {
    const coco::Image& image = dataset.images()[places[i]];
    const std::filesystem::path file = folder / image.fileName;
    try {
      dark[i] = data::darkness(data::readAnnotatedImage(file, {image.height, image.width}), file);
    } catch (const data::UnreadableImage& fault) {
      faults[i] = fault.what();
    }
  });
  const auto counted = [&](const std::vector<std::string>& texts) {
    return countTexts(texts, [&](std::size_t i) { return dataset.images()[places[i]].id.value; });
  };
  return {{"looked_at", places.size()},
          {"all", dataset.images().size()},
          {"faults", counted(faults)},
          {"dark", counted(dark)}};
}

std::string textOf(const Json& said) {
  return said.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

protocol::Finished runCheck(const JobContext& context) {
  const protocol::Job& job = context.job;
  const config::Experiment experiment = experimentOf(job);
  const config::DatasetPart &train = experiment.dataset.train, &val = experiment.dataset.val;
  const auto dataset = coco::Dataset::load(train.annotations);
  Json said = Json::object();
  try {
    if (!job.resumeFrom.empty() || !experiment.model.weights.empty())
      checkWeights(experiment, job.resumeFrom, dataset);
  } catch (const Error& fault) {
    said["weights"] = {{"fault", fault.what()}, {"status", static_cast<int>(fault.status())}};
  }
  if (job.trainImages > 0) said["train"] = lookAtImages(dataset, train.images, job.trainImages);
  if (job.valImages > 0 && !val.annotations.empty()) {
    said["val"] = lookAtImages(coco::Dataset::load(val.annotations), val.images, job.valImages);
  }
  return {0, false, textOf(said)};
}

}  // namespace lockstep::worker
