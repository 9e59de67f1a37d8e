// Draws training batches as the model gets them.
#include <cstdio>

#include "engine/base/log.h"
#include "engine/base/new_folder.h"
#include "engine/base/number_text.h"
#include "engine/data/bad_image.h"
#include "engine/data/sample_loader.h"
#include "engine/worker/batch_sheet.h"
#include "engine/worker/jobs.h"

namespace lockstep::worker {
namespace {

namespace fs = std::filesystem;

/// Numbered as steps and, of several in a step, their parts.
std::string sheetName(std::int64_t step, int part, int parts) {
  char name[64];
  std::snprintf(name, sizeof name, "step-%08lld", static_cast<long long>(step));
  return name + (parts > 1 ? "-part-" + std::to_string(part + 1) : std::string()) + ".png";
}

BatchCaption captionOf(const coco::Dataset& dataset, const data::Sampler::Draw& draw,
                       const base::ImageSize& size) {
  const coco::Image& image = dataset.images()[draw.imageIndex];
  BatchCaption caption{
      "id " + std::to_string(image.id.value) + "  " + fs::path(image.fileName).filename().string(),
      "  " + std::to_string(size.width) + " x " + std::to_string(size.height) + " px augmented"};
  if (draw.donorIndex)
    caption.rest +=
        "  + objects of id " + std::to_string(dataset.images()[*draw.donorIndex].id.value);
  return caption;
}

struct Drawn {
  std::vector<data::Sampler::Draw> draws;
  data::Batch batch;
};

/// As training loads it: with dataset.bad_images: skip, other images take the place of those that
/// cannot be read, which are left out.
Drawn load(const data::SampleLoader& loader, data::Sampler& sampler, std::int64_t step, int part,
           const config::Experiment& experiment) {
  for (;;) {
    const std::vector<data::Sampler::Draw> draws = sampler.imagesOf(step, part);
    try {
      return {draws, loader.loadTraining(draws)};
    } catch (const data::BadImage& image) {
      if (!experiment.dataset.skipsBadImages()) throw;
      base::logWarning("dataset", std::string(image.what()) + " (left out)");
      sampler.leaveOut({image.info().id.value});
    }
  }
}

}  // namespace

protocol::Finished run(const protocol::PreviewJob& job, const JobContext& context) {
  const config::Experiment experiment = experimentOf(job.configYaml);
  const config::DatasetSplit& split = splitOf(experiment, protocol::Split::Train);
  const coco::Dataset dataset = coco::Dataset::load(split.annotations);
  const data::SampleLoader loader(dataset, split.images, experiment.augment,
                                  data::ClassTable(dataset),
                                  {.seed = static_cast<std::uint64_t>(experiment.runtime.seed),
                                   .masks = experiment.model.masks});
  data::Sampler sampler(dataset, data::samplerOptionsOfAllRanks(experiment));
  const base::NewFolder folder(job.out);
  BatchSheetPainter painter(dataset.categories());
  const eval::Progress progress = progressTo(context.channel, "drawing batches");
  for (int i = 0; i < job.batches; ++i) {
    throwIfStopped(context.mailbox);
    const std::int64_t step = 1 + i / sampler.accumulate();
    const int part = i % sampler.accumulate();
    const auto [draws, batch] = load(loader, sampler, step, part, experiment);
    std::vector<BatchCaption> captions;
    for (std::size_t n = 0; n < draws.size(); ++n)
      captions.push_back(captionOf(dataset, draws[n], batch.sizes[n]));
    data::writeImage(painter.draw(batch, captions),
                     folder.path() / sheetName(step, part, sampler.accumulate()));
    progress(i + 1, job.batches);
  }
  folder.finish();
  return {.result = protocol::DatasetReport{
              .text = "sheets: " +
                      base::counted(static_cast<std::uint64_t>(job.batches), "training batch") +
                      " in " + job.out + "\n"}};
}

}  // namespace lockstep::worker
