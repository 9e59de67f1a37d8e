#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "app/cards/monitor_cards.h"

namespace lockstep::app {

/// Cards of the tags that have one part of their names in common: "rpn", "eval/segm/AP/class".
struct TagSection {
  QString name;
  std::vector<CardPlan> cards;  ///< one tag each
};

/// Limit of sections: a log may have as many as tags. The tags of all further sections share one,
/// with their whole names as titles.
inline constexpr std::size_t kMaxTagSections = 100;
inline const QString kFurtherTags = QStringLiteral(
    "\x1f"
    "further");

/// Sections for every tag that none of `drawn` draws. Norms and update ratios of parameters are
/// left out: the heat map shows them. Times of a rank begin with a card of their parts. Tags are in
/// the given order, and sections in that of their first tags.
std::vector<TagSection> tagSections(const std::vector<std::string>& tags,
                                    const std::vector<CardPlan>& drawn);

/// Returns true if the card draws one of these tags.
bool hasTagOf(const CardPlan& plan, const std::unordered_set<std::string_view>& tags);

/// The curve of any tag, named after what comes behind its last slash.
CardCurve curveOfTag(const std::string& tag);

/// What stays the same for a card over sessions: its first tag.
QString cardId(const CardPlan& plan);

/// Whether every word is part of the card's title or of one of its tags.
bool matchesWords(const CardPlan& plan, const QString& words);

}  // namespace lockstep::app
