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

bool isNeverFound(const Curve& ap) {
  return ap.points().size() >= kEvaluations &&
         std::ranges::all_of(ap.points(),
                             [](const Curve::Point& point) { return point.most < kFoundAp; });
}

}  // namespace

/// Source: Gupta, Dollar and Girshick, LVIS (repeat factor sampling of rare classes),
/// arXiv:1908.03195.
std::optional<Finding> classNotFound(const RunSoFar& run) {
  const Curve& ap = run.curves.of(events::tags::kMaskAp);
  if (ap.isEmpty() || ap.points().back().mean() < kLearntAp) return std::nullopt;
  const std::string prefix = std::string(events::tags::kMaskAp) + "/class/";
  std::vector<std::string> never;
  std::size_t classes = 0;
  for (const auto& [tag, curve] : run.curves.startingWith(prefix)) {
    ++classes;
    if (isNeverFound(*curve)) never.push_back(tag);
  }
  if (never.empty()) return std::nullopt;
  std::string ids;
  for (const std::string& tag :
       std::vector(never.begin(),
                   never.begin() + static_cast<std::ptrdiff_t>(std::min(never.size(), kMostNamed))))
    ids += (ids.empty() ? "" : ", ") + tag.substr(prefix.size());
  if (never.size() > kMostNamed) ids += ", …";
  return Finding{.kind = protocol::AlertKind::ClassNotFound,
                 .problem = std::to_string(never.size()) + " of " +
                            base::counted(classes, "class") + " (category id " + ids +
                            ") was never found at " + std::to_string(ap.points().size()) +
                            " evaluations, while the mask AP of all is " +
                            base::shortNumber(ap.points().back().mean(), 2) +
                            ": look for its objects in the training set, and at its predictions.",
                 .remedy = "Show its images more often: set dataset.repeat_threshold to 0.1.",
                 .tags = never,
                 .from = ap.points().front().first,
                 .to = ap.lastStep(),
                 .key = "dataset.repeat_threshold",
                 .value = "0.1"};
}

}  // namespace lockstep::alerts
