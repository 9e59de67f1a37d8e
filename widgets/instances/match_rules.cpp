#include "widgets/instances/match_rules.h"

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
  const bool isFirst = first.mostDetections() >= second.mostDetections();
  return (isFirst ? first : second)
      .forResults(first.type != coco::IouType::Box && second.type != coco::IouType::Box);
}

}  // namespace lockstep::widgets
