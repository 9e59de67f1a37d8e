#include "widgets/instances/match_rules.h"

#include <algorithm>

#include "engine/coco/evaluation/judged_by.h"

namespace lockstep::widgets {

coco::Params MatchRules::params() const {
  coco::Params params;
  params.maxDetections = maxDetections;
  return params;
}

MatchRules MatchRules::forResults(bool haveMasks) const {
  MatchRules rules = *this;
  rules.type = coco::judgedBy(type != coco::IouType::Box, haveMasks);
  return rules;
}

MatchRules commonRules(const MatchRules& first, const MatchRules& second) {
  MatchRules rules = first.forResults(second.type != coco::IouType::Box);
  std::ranges::transform(first.maxDetections, second.maxDetections, rules.maxDetections.begin(),
                         [](std::size_t one, std::size_t other) { return std::max(one, other); });
  return rules;
}

}  // namespace lockstep::widgets
