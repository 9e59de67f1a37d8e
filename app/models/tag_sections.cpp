#include "app/models/tag_sections.h"

#include <algorithm>
#include <utility>

#include "app/models/word_match.h"
#include "engine/events/tags.h"

namespace lockstep::app {
namespace {

namespace tags = events::tags;

/// Those of the heat map.
constexpr const char* kParameterStatistics[] = {tags::kGradientNorms, tags::kWeightNorms,
                                                tags::kUpdateRatios};

bool isOfAParameter(std::string_view tag) {
  return !tag.starts_with(tags::kPartGradientNorms) &&
         std::ranges::any_of(kParameterStatistics,
                             [tag](const char* prefix) { return tag.starts_with(prefix); });
}

bool draws(const CardPlan& plan, std::string_view tag) {
  return std::ranges::any_of(plan.curves, [tag](const CardCurve& curve) {
    return curve.tag == tag ||
           (tags::isNumbered(curve.tag) && tags::numberIn(tag, curve.tag).has_value());
  });
}

CardPlan cardOf(const std::string& tag) {
  CardPlan plan;
  plan.curves = {curveOfTag(tag)};
  plan.title = plan.curves.front().name;
  return plan;
}

/// What a step of a rank consists of.
CardPlan rankSplit(int rank) {
  CardPlan plan;
  plan.title = QStringLiteral("step split, s");
  for (const auto& [pattern, name] :
       {std::pair(tags::kRankDataSeconds, "data"), std::pair(tags::kRankOwnSeconds, "compute"),
        std::pair(tags::kRankWaitSeconds, "wait")}) {
    plan.curves.push_back(curveOfTag(tags::numbered(pattern, rank)));
    plan.curves.back().name = QString::fromLatin1(name);
  }
  plan.stack = plan.curves;
  plan.yMin = 0;
  return plan;
}

}  // namespace

CardCurve curveOfTag(const std::string& tag) {
  CardCurve curve;
  curve.tag = tag;
  curve.name = QString::fromStdString(tag.substr(tag.rfind('/') + 1));  // all without a slash
  curve.evaluation = tag.starts_with("eval/");
  curve.smooth = !curve.evaluation;
  return curve;
}

std::vector<TagSection> tagSections(const std::vector<std::string>& all,
                                    const std::vector<CardPlan>& drawn) {
  std::vector<TagSection> sections;
  for (const std::string& tag : all) {
    if (isOfAParameter(tag) ||
        std::ranges::any_of(drawn, [&](const CardPlan& plan) { return draws(plan, tag); }))
      continue;
    const std::size_t slash = tag.rfind('/');
    const QString name =
        slash == std::string::npos ? QString() : QString::fromStdString(tag.substr(0, slash));
    auto section = std::ranges::find(sections, name, &TagSection::name);
    if (section == sections.end()) section = sections.insert(section, {name, {}});
    if (const auto rank = tags::numberIn(tag, tags::kRankWaitSeconds))
      section->cards.insert(section->cards.begin(), rankSplit(*rank));
    section->cards.push_back(cardOf(tag));
  }
  return sections;
}

QString cardId(const CardPlan& plan) { return QString::fromStdString(plan.curves.front().tag); }

bool matchesWords(const CardPlan& plan, const QString& words) {
  QString all = plan.title;
  for (const CardCurve& curve : plan.curves)
    all += QLatin1Char(' ') + QString::fromStdString(curve.tag);
  return hasAllWords(all, words);
}

}  // namespace lockstep::app
