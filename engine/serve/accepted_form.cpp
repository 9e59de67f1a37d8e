#include "engine/serve/accepted_form.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <tuple>
#include <vector>

#include "engine/base/utf8.h"
#include "engine/serve/http_message.h"

namespace lockstep::serve {
namespace {

using protocol::AnswerForm;

struct MediaRange {
  std::string type;  ///< `image/png`, `image/*`, `*/*`
  std::string form;
  double weight = 1;
  std::size_t place = 0;
};

double weightOf(std::string_view range) {
  const std::string text = headerParameter(range, "q").value_or("1");
  double weight = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  const bool isNumber = error == std::errc() && end == text.data() + text.size();
  return isNumber && weight >= 0 && weight <= 1 ? weight : 1;
}

/// Of the range that begins there; a comma in a quoted text is none.
std::size_t endOfRange(std::string_view accept, std::size_t begin) {
  bool isQuoted = false;
  for (std::size_t at = begin; at < accept.size(); ++at) {
    if (accept[at] == ',' && !isQuoted) return at;
    if (accept[at] == '"') isQuoted = !isQuoted;
    if (accept[at] == '\\' && isQuoted) ++at;
  }
  return accept.size();
}

std::vector<MediaRange> rangesOf(std::string_view accept) {
  std::vector<MediaRange> ranges;
  for (std::size_t begin = 0; begin <= accept.size();) {
    const std::size_t end = endOfRange(accept, begin);
    const std::string_view range = accept.substr(begin, end - begin);
    begin = end + 1;
    const std::string type = base::lowerCase(withoutSpace(range.substr(0, range.find(';'))));
    if (type.empty()) continue;
    ranges.push_back(
        {type, headerParameter(range, "form").value_or(""), weightOf(range), ranges.size()});
  }
  return ranges;
}

/// A type that can be answered, and how much it is wanted.
struct Offer {
  const char *type, *group;
  AnswerForm usual, other;
  const char* otherName;

  /// How exactly a range names it; 0: not at all.
  int matchOf(const MediaRange& range) const {
    return range.type == type ? 3 : range.type == group ? 2 : range.type == "*/*" ? 1 : 0;
  }
  /// nullptr: no range names it.
  const MediaRange* rangeIn(const std::vector<MediaRange>& ranges) const {
    const auto best = std::ranges::max_element(ranges, {}, [this](const MediaRange& each) {
      return std::tuple(matchOf(each), each.weight);
    });
    return best != ranges.end() && matchOf(*best) > 0 ? &*best : nullptr;
  }
};

constexpr Offer kOffers[] = {
    {"application/json", "application/*", AnswerForm::Results, AnswerForm::Polygons, "polygons"},
    {"image/png", "image/*", AnswerForm::Labels, AnswerForm::Overlay, "overlay"}};

}  // namespace

std::optional<AnswerForm> acceptedForm(std::string_view accept) {
  const std::vector<MediaRange> ranges = rangesOf(accept);
  if (ranges.empty()) return AnswerForm::Results;
  std::optional<AnswerForm> form;
  const MediaRange* best = nullptr;
  for (const Offer& offer : kOffers) {
    const MediaRange* range = offer.rangeIn(ranges);
    if (range == nullptr || range->weight == 0) continue;
    const bool isBetter = best == nullptr || range->weight > best->weight ||
                          (range->weight == best->weight && range->place < best->place);
    if (!isBetter) continue;
    best = range;
    form = range->form == offer.otherName ? offer.other : offer.usual;
  }
  return form;
}

}  // namespace lockstep::serve
