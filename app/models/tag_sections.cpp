#include "app/models/tag_sections.h"

#include <algorithm>
#include <array>
#include <span>
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

bool draws(const std::vector<CardCurve>& curves, std::string_view tag) {
  return std::ranges::any_of(curves, [tag](const CardCurve& curve) {
    return curve.tag == tag ||
           (tags::isNumbered(curve.tag) && tags::numberIn(tag, curve.tag).has_value());
  });
}

bool draws(const CardPlan& plan, std::string_view tag) {
  return draws(plan.curves, tag) || draws(plan.fineStack, tag);
}

CardPlan cardOf(const std::string& tag) {
  CardPlan plan;
  plan.curves = {curveOfTag(tag)};
  plan.title = plan.curves.front().name;
  return plan;
}

/// What a step of a rank consists of. Earlier versions did not record its parts.
CardPlan rankSplit(int rank, bool hasParts) {
  using Part = std::pair<const char*, const char*>;
  constexpr std::array kCoarse{Part(tags::kRankDataSeconds, "data"),
                               Part(tags::kRankWaitSeconds, "wait"),
                               Part(tags::kRankStepSeconds, "compute")};
  constexpr std::array kFine{
      Part(tags::kRankDataSeconds, "data"),           Part(tags::kRankForwardSeconds, "forward"),
      Part(tags::kRankBackwardSeconds, "backward"),   Part(tags::kRankWaitSeconds, "wait"),
      Part(tags::kRankOptimizerSeconds, "optimizer"), Part(tags::kRankStepSeconds, "other")};
  CardPlan plan;
  plan.title = QStringLiteral("step split, s");
  for (const auto& [pattern, name] : hasParts ? std::span<const Part>(kFine) : kCoarse) {
    plan.curves.push_back(curveOfTag(tags::numbered(pattern, rank)));
    plan.curves.back().name = QString::fromLatin1(name);
  }
  plan.stack = plan.curves;
  for (std::size_t i = 0; i + 1 < plan.stack.size(); ++i)
    plan.stack.back().less.push_back(plan.stack[i].tag);
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
      section->cards.insert(
          section->cards.begin(),
          rankSplit(*rank, std::ranges::find(all, tags::numbered(tags::kRankForwardSeconds,
                                                                 *rank)) != all.end()));
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
