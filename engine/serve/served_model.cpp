#include "engine/serve/served_model.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "engine/base/json_writer.h"
#include "engine/base/shortened_text.h"
#include "engine/serve/http_message.h"

namespace lockstep::serve {
namespace {

/// They go along with each image to its worker, in a line.
constexpr std::size_t kMostClasses = 10'000;

}  // namespace

std::vector<std::int64_t> ServedModel::categoryIds(std::string_view classes) const {
  std::map<std::string_view, std::int64_t> idsByName;
  std::set<std::int64_t> known, asked;
  for (const coco::Category& category : categories) {
    idsByName.emplace(category.name, category.id.value);
    known.insert(category.id.value);
  }
  for (std::size_t begin = 0; begin <= classes.size();) {
    const std::size_t end = std::min(classes.find(',', begin), classes.size());
    const std::string_view one = withoutSpace(classes.substr(begin, end - begin));
    begin = end + 1;
    if (one.empty()) continue;
    std::int64_t id = 0;
    const auto [last, error] = std::from_chars(one.data(), one.data() + one.size(), id);
    const bool isId = error == std::errc() && last == one.data() + one.size();
    if (const auto named = idsByName.find(one); named != idsByName.end()) {
      asked.insert(named->second);
    } else if (isId && (known.contains(id) || categories.empty())) {
      asked.insert(id);
    } else {
      throw HttpError{
          400, "classes: the model has no class '" + base::shortened(std::string(one)) + "'"};
    }
    if (asked.size() > kMostClasses)
      throw HttpError{400, "classes: may be " + std::to_string(kMostClasses) + " at most"};
  }
  return {asked.begin(), asked.end()};
}

std::string ServedModel::categoryName(std::int64_t id) const {
  for (const coco::Category& category : categories)
    if (category.id.value == id) return category.name;
  return std::to_string(id);
}

std::string ServedModel::classesJson() const {
  std::string text;
  base::JsonWriter json(text);
  json.beginObject();
  for (const coco::Category& category : categories)
    json.member(std::to_string(category.id.value), category.name);
  json.endObject();
  return text + '\n';
}

}  // namespace lockstep::serve
