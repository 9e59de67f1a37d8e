#include <algorithm>

#include "engine/alerts/rule.h"
#include "engine/base/number_text.h"
#include "engine/events/tags.h"

namespace lockstep::alerts {
namespace {

constexpr std::size_t kEvaluations = 3;
/// A class of a lower AP counts as never found, once the AP of all is this high.
constexpr double kFoundAp = 0.005, kLearntAp = 0.1;
constexpr std::size_t kMostNamed = 5;

/// lastStep: of the evaluations; a class that a later one does not have is not judged.
bool isNeverFound(const Curve& ap, std::int64_t lastStep) {
  return ap.points().size() >= kEvaluations && ap.lastStep() == lastStep &&
         std::ranges::all_of(ap.points(),
                             [](const Curve::Point& point) { return point.most < kFoundAp; });
}

}  // namespace

/// Source: Gupta, Dollar and Girshick, LVIS (repeat factor sampling of rare classes),
/// arXiv:1908.03195.
std::optional<Finding> classNotFound(const RunSoFar& run) {
  const Curve& maskAp = run.curves.of(events::tags::kMaskAp);
  const bool isOfMasks = !maskAp.isEmpty();
  const char* apTag = isOfMasks ? events::tags::kMaskAp : events::tags::kBoxAp;
  const Curve& ap = run.curves.of(apTag);
  if (ap.isEmpty() || ap.points().back().mean() < kLearntAp) return std::nullopt;
  const std::string prefix = std::string(apTag) + "/class/";
  std::vector<std::string> never;
  std::size_t classes = 0;
  for (const auto& [tag, curve] : run.curves.startingWith(prefix)) {
    ++classes;
    if (isNeverFound(*curve, ap.lastStep())) never.push_back(tag);
  }
  if (never.empty()) return std::nullopt;
  std::string ids;
  for (const std::string& tag :
       std::vector(never.begin(),
                   never.begin() + static_cast<std::ptrdiff_t>(std::min(never.size(), kMostNamed))))
    ids += (ids.empty() ? "" : ", ") + tag.substr(prefix.size());
  if (never.size() > kMostNamed) ids += ", …";
  return Finding{.kind = protocol::AlertKind::ClassNotFound,
                 .problem = "Never found: " + std::to_string(never.size()) + " of " +
                            base::counted(classes, "class") + " (category id " + ids +
                            "), with an AP of 0 at all of " + std::to_string(ap.points().size()) +
                            " evaluations, while the " + (isOfMasks ? "mask" : "box") +
                            " AP of all classes is " +
                            base::shortNumber(ap.points().back().mean(), 2) +
                            ". Look at their objects in the training set.",
                 .remedy = "Show their images more often: set dataset.repeat_threshold to 0.1.",
                 .tags = never,
                 .from = ap.points().front().first,
                 .to = ap.lastStep(),
                 .key = "dataset.repeat_threshold",
                 .value = "0.1"};
}

}  // namespace lockstep::alerts
