#include "engine/alerts/rule.h"
#include "engine/base/number_text.h"
#include "engine/events/tags.h"

namespace lockstep::alerts {
namespace {

constexpr std::int64_t kStarvedSteps = 100;
/// Share of a step that it waits for images.
constexpr double kMostWait = 0.2;

}  // namespace

/// Source: Mohan and others, Analyzing and mitigating data stalls in DNN training,
/// arXiv:2007.06775.
std::optional<Finding> dataStarved(const RunSoFar& run) {
  const auto from = run.startOfLast(kStarvedSteps);
  if (!from) return std::nullopt;
  const auto data = run.curves.of(events::tags::kDataSeconds).mean(*from, run.step);
  const auto step = run.curves.of(events::tags::kStepSeconds).mean(*from, run.step);
  if (!data || !step || *data <= kMostWait * *step) return std::nullopt;
  Finding finding{.kind = protocol::AlertKind::DataStarved,
                  .problem = "Training waits for images for " + base::percent(*data / *step) +
                             " of its time: " + base::shortNumber(*data, 2) + " s of " +
                             base::shortNumber(*step, 2) + " s per step (mean of " +
                             stepRange(*from, run.step) + ").",
                  .tags = {events::tags::kDataSeconds, events::tags::kStepSeconds},
                  .from = *from,
                  .to = run.step};
  const int threads = run.experiment ? run.experiment->dataset.loaderThreads : 0;
  if (threads > 0) {
    finding.key = "dataset.loader_threads";
    finding.value = std::to_string(2 * threads);
    finding.remedy = "Set dataset.loader_threads to " + finding.value + ", or use a faster disk.";
  } else if (run.experiment && run.experiment->dataset.cache == config::ImageCache::None) {
    finding.key = "dataset.cache";
    finding.value = "ram";
    finding.remedy = "Keep decoded images in memory: set dataset.cache to ram.";
  } else {
    finding.remedy = "Use a faster disk, smaller images or more processor cores.";
  }
  return finding;
}

}  // namespace lockstep::alerts
