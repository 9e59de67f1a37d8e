#include "app/cards/tag_sections.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>
#include <utility>

#include "app/text/word_match.h"
#include "engine/base/shortened_text.h"
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

/// The tags that cards draw.
class DrawnTags {
 public:
  /// `cards` outlives this.
  explicit DrawnTags(const std::vector<CardPlan>& cards) {
    for (const CardPlan& plan : cards)
      for (const auto* curves : {&plan.curves, &plan.fineStack})
        for (const CardCurve& curve : *curves) add(curve.tag);
  }
  bool contains(std::string_view tag) const {
    return whole_.contains(tag) || std::ranges::any_of(patterns_, [tag](std::string_view pattern) {
             return tags::numberIn(tag, pattern).has_value();
           });
  }

 private:
  void add(std::string_view tag) {
    if (tags::isNumbered(tag)) {
      patterns_.push_back(tag);
    } else {
      whole_.insert(tag);
    }
  }

  std::unordered_set<std::string_view> whole_;
  std::vector<std::string_view> patterns_;  ///< per rank or GPU
};

/// The part before the last slash; empty: there is none.
std::string_view sectionOf(std::string_view tag) {
  const std::size_t slash = tag.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : tag.substr(0, slash);
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
  // A tag without a slash is its own name.
  curve.name = QString::fromStdString(base::printable(tag.substr(tag.rfind('/') + 1)));
  curve.evaluation = tag.starts_with("eval/");
  curve.smooth = !curve.evaluation;
  return curve;
}

std::vector<TagSection> tagSections(const std::vector<std::string>& all,
                                    const std::vector<CardPlan>& drawn) {
  const DrawnTags drawnTags(drawn);
  const std::unordered_set<std::string_view> known(all.begin(), all.end());
  std::unordered_map<std::string_view, std::size_t> places;
  std::vector<TagSection> sections;
  TagSection further{kFurtherTags, {}};
  for (const std::string& tag : all) {
    if (isOfAParameter(tag) || drawnTags.contains(tag)) continue;
    const std::string_view name = sectionOf(tag);
    const auto place = places.find(name);
    if (place == places.end() && sections.size() == kMaxTagSections) {
      further.cards.push_back(cardOf(tag));
      further.cards.back().title = QString::fromStdString(base::printable(tag));
      continue;
    }
    if (place == places.end()) {
      places.emplace(name, sections.size());
      sections.push_back({QString::fromStdString(base::printable(name)), {}});
    }
    std::vector<CardPlan>& cards = sections[places[name]].cards;
    if (const auto rank = tags::numberIn(tag, tags::kRankWaitSeconds))
      cards.insert(
          cards.begin(),
          rankSplit(*rank, known.contains(tags::numbered(tags::kRankForwardSeconds, *rank))));
    cards.push_back(cardOf(tag));
  }
  if (!further.cards.empty()) sections.push_back(std::move(further));
  return sections;
}

bool hasTagOf(const CardPlan& plan, const std::unordered_set<std::string_view>& all) {
  const auto isKnown = [&all](const CardCurve& curve) {
    if (!tags::isNumbered(curve.tag)) return all.contains(curve.tag);
    return std::ranges::any_of(
        all, [&](std::string_view tag) { return tags::numberIn(tag, curve.tag).has_value(); });
  };
  return std::ranges::any_of(plan.curves, isKnown) || std::ranges::any_of(plan.fineStack, isKnown);
}

QString cardId(const CardPlan& plan) { return QString::fromStdString(plan.curves.front().tag); }

bool matchesWords(const CardPlan& plan, const QString& words) {
  QString all = plan.title;
  for (const CardCurve& curve : plan.curves)
    all += QLatin1Char(' ') + QString::fromStdString(curve.tag);
  return hasAllWords(all, words);
}

}  // namespace lockstep::app
