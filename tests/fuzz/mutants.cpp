#include "tests/fuzz/mutants.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/fuzz/hostile_values.h"

namespace lockstep::tests {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kDeepest = 400;
/// Stands where a text that is no JSON value comes.
const std::string kPlace = "@@here@@";

// ---- bytes

/// A part of the bytes, mostly a short one.
std::pair<std::size_t, std::size_t> part(const std::string& bytes, Choices& choices) {
  const std::size_t begin = choices.below(bytes.size());
  const std::size_t longest = choices.oneIn(4) ? bytes.size() : 16;
  return {begin, std::min(bytes.size() - begin, 1 + choices.below(longest))};
}

void flipBits(std::string& bytes, Choices& choices) {
  if (bytes.empty()) return;
  for (std::size_t i = 1 + choices.below(8); i > 0; --i)
    bytes[choices.below(bytes.size())] ^= static_cast<char>(1U << choices.below(8));
}

void overwrite(std::string& bytes, Choices& choices) {
  const auto [begin, count] = part(bytes, choices);
  const std::size_t kind = choices.below(4);
  for (std::size_t i = begin; i < begin + count; ++i) {
    constexpr std::array<char, 3> kFills{'\0', '\xff', ' '};
    bytes[i] = kind < 3 ? kFills[kind] : static_cast<char>(choices.word());
  }
}

void insert(std::string& bytes, Choices& choices) {
  std::string more;
  for (std::size_t i = 1 + choices.below(40); i > 0; --i) more += static_cast<char>(choices.word());
  bytes.insert(choices.below(bytes.size() + 1), more);
}

// ---- JSON

/// Every place of a value in the document, the whole one first.
std::vector<Json::json_pointer> places(const Json& document) {
  std::vector<Json::json_pointer> found{Json::json_pointer()};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Json& value = document.at(found[i]);
    const Json::json_pointer here = found[i];
    if (value.is_object()) {
      for (const auto& [key, member] : value.items()) found.push_back(here / key);
    } else if (value.is_array()) {
      for (std::size_t k = 0; k < std::min<std::size_t>(value.size(), 20); ++k)
        found.push_back(here / k);
    }
  }
  return found;
}

/// The document with `text` in place of the value there.
std::string withText(Json document, const Json::json_pointer& place, const std::string& text) {
  document[place] = kPlace;
  std::string dumped = document.dump();
  return dumped.replace(dumped.find('"' + kPlace + '"'), kPlace.size() + 2, text);
}

void removeAt(Json& document, const Json::json_pointer& place) {
  if (place.empty()) return;
  Json& owner = document[place.parent_pointer()];
  if (owner.is_array()) {
    owner.erase(owner.begin());
  } else {
    owner.erase(place.back());
  }
}

void rename(Json& document, const Json::json_pointer& place, Choices& choices) {
  if (place.empty() || !document[place.parent_pointer()].is_object()) return;
  const Json name = hostileValue(choices);
  const Json value = document[place];
  removeAt(document, place);
  document[place.parent_pointer()]
          [name.is_string() ? name.get<std::string>() : place.back() + " "] = value;
}

/// The object that holds `place`, with this member twice.
std::string doubled(const Json& document, const Json::json_pointer& place, Choices& choices) {
  if (place.empty() || !document.at(place.parent_pointer()).is_object()) return document.dump();
  std::string object = document.at(place.parent_pointer()).dump();
  const Json again = choices.oneIn(2) ? document.at(place) : hostileValue(choices);
  object.insert(1, Json(place.back()).dump() + ":" + again.dump() + ",");
  return withText(document, place.parent_pointer(), object);
}

/// Brackets that are open at once, at most. (One in a text counts, too.)
std::size_t depth(const std::string& json) {
  std::size_t open = 0, most = 0;
  for (const char c : json) {
    if (c == '{' || c == '[') most = std::max(most, ++open);
    if ((c == '}' || c == ']') && open > 0) --open;
  }
  return most;
}

std::string damagedOnce(Json document, Choices& choices) {
  const auto all = places(document);
  const Json::json_pointer place = choices.of(all), other = choices.of(all);
  switch (choices.below(12)) {
    case 0:
      removeAt(document, place);
      return document.dump();
    case 1:
      rename(document, place, choices);
      return document.dump();
    case 2:
      return doubled(document, place, choices);
    case 3: {
      const Json value = document.at(other);
      document[place] = value;
      return document.dump();
    }
    case 4: {
      const Json value = document.at(place);
      document[place] = Json::array({value});
      return document.dump();
    }
    case 5:
    case 6:
    case 7:
      return withText(document, place, hostileText(choices));
    default:
      document[place] = hostileValue(choices);
      return document.dump();
  }
}

}  // namespace

std::string damagedBytes(std::string bytes, Choices& choices) {
  const auto [begin, count] = part(bytes, choices);
  switch (choices.below(8)) {
    case 0:
    case 1:
      flipBits(bytes, choices);
      break;
    case 2:
      overwrite(bytes, choices);
      break;
    case 3:
      insert(bytes, choices);
      break;
    case 4:
      bytes.resize(begin);
      break;
    case 5:
      bytes.erase(begin, count);
      break;
    case 6:
      bytes.insert(choices.below(bytes.size() + 1), bytes.substr(begin, count));
      break;
    default:
      bytes = bytes.substr(begin) + bytes.substr(0, begin);
  }
  return bytes;
}

std::string damagedJson(const std::string& text, Choices& choices) {
  if (choices.oneIn(4)) return damagedBytes(text, choices);
  std::string damaged = text;
  for (std::size_t i = choices.oneIn(3) ? 2 : 1; i > 0; --i) {
    if (depth(damaged) > kDeepest) break;  // written by a recursion
    const Json document = Json::parse(damaged, nullptr, /*allow_exceptions=*/false);
    if (document.is_discarded()) break;
    damaged = damagedOnce(document, choices);
  }
  return choices.oneIn(10) ? damagedBytes(damaged, choices) : damaged;
}

}  // namespace lockstep::tests
