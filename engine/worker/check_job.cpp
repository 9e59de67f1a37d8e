#include <torch/types.h>

#include <algorithm>
#include <functional>
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
      checkpoint.empty() ? checkpoint::WeightsUse::Initial : checkpoint::WeightsUse::Exactly,
      weights.string());
}

/// `count` of `all` indices, evenly spaced from the first to the last.
std::vector<std::size_t> evenlySpaced(std::size_t count, std::size_t all) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < std::min(count, all); ++i)
    indices.push_back(count >= all ? i : i * (all - 1) / std::max<std::size_t>(count - 1, 1));
  return indices;
}

/// Summarises the texts that are not empty: their count, the first one, and the first few ids.
protocol::ImageIssues summarise(const std::vector<std::string>& texts,
                                const std::function<std::int64_t(std::size_t)>& idOf) {
  constexpr std::size_t kListedIds = 5;
  protocol::ImageIssues images;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].empty()) continue;
    if (images.count++ == 0) images.first = texts[i];
    if (images.firstIds.size() < kListedIds) images.firstIds.push_back(idOf(i));
  }
  return images;
}

/// Reads the pixels of some images as training does.
protocol::ImagesCheck checkImages(const coco::Dataset& dataset, const std::filesystem::path& folder,
                                  int count) {
  const std::vector<std::size_t> indices =
      evenlySpaced(static_cast<std::size_t>(count), dataset.images().size());
  std::vector<std::string> unusable(indices.size()), dark(indices.size());
  base::parallelFor(indices.size(), 0, [&](std::size_t i) {
    const coco::Image& image = dataset.images()[indices[i]];
    const std::filesystem::path file = folder / image.fileName;
    try {
      dark[i] =
          data::darkImageWarning(data::readAnnotatedImage(file, {image.height, image.width}), file);
    } catch (const data::UnreadableImage& error) {
      unusable[i] = error.what();
    }
  });
  const auto counted = [&](const std::vector<std::string>& texts) {
    return summarise(texts, [&](std::size_t i) { return dataset.images()[indices[i]].id.value; });
  };
  return {.checked = static_cast<std::int64_t>(indices.size()),
          .all = static_cast<std::int64_t>(dataset.images().size()),
          .unusable = counted(unusable),
          .dark = counted(dark)};
}

}  // namespace

protocol::Finished run(const protocol::CheckJob& job, const JobContext&) {
  const config::Experiment experiment = experimentOf(job.configYaml, !job.resumeFrom.empty());
  const config::DatasetSplit &train = experiment.dataset.train, &val = experiment.dataset.val;
  const auto dataset = coco::Dataset::load(train.annotations);
  protocol::CheckResult found;
  try {
    if (!job.resumeFrom.empty() || !experiment.model.weights.empty())
      checkWeights(experiment, job.resumeFrom, dataset);
  } catch (const Error& error) {
    found.weights = {error.what(), static_cast<int>(error.status())};
  }
  if (job.imagesPerSplit > 0) {
    found.train = checkImages(dataset, train.images, job.imagesPerSplit);
    if (!val.annotations.empty()) {
      found.val = checkImages(coco::Dataset::load(val.annotations), val.images, job.imagesPerSplit);
    }
  }
  return {.result = std::move(found)};
}

}  // namespace lockstep::worker
