#include "engine/serve/served_model.h"

#include <algorithm>
#include <charconv>

#include "engine/base/json_writer.h"
#include "engine/base/shortened_text.h"
#include "engine/serve/http_message.h"

namespace lockstep::serve {
namespace {

/// They go along with each image to its worker, in a line.
constexpr std::size_t kMostClasses = 10'000;

[[noreturn]] void refuse(const std::string& name) {
  throw HttpError{400, "classes: the model has no class '" + base::shortened(name) + "'"};
}

}  // namespace

AskedClasses::AskedClasses(const ServedModel& model) {
  for (const coco::Category& category : model.categories) {
    idsByName_.emplace(category.name, category.id.value);
    known_.insert(category.id.value);
  }
}

void AskedClasses::add(std::string_view nameOrId) {
  if (const auto named = idsByName_.find(nameOrId); named != idsByName_.end())
    return insert(named->second);
  std::int64_t id = 0;
  const char* const end = nameOrId.data() + nameOrId.size();
  const auto [last, error] = std::from_chars(nameOrId.data(), end, id);
  if (error != std::errc() || last != end) refuse(std::string(nameOrId));
  add(id);
}

void AskedClasses::add(std::int64_t id) {
  if (!known_.empty() && !known_.contains(id)) refuse(std::to_string(id));
  insert(id);
}

void AskedClasses::insert(std::int64_t id) {
  asked_.insert(id);
  if (asked_.size() > kMostClasses)
    throw HttpError{400, "classes: may be " + std::to_string(kMostClasses) + " at most"};
}

std::vector<std::int64_t> ServedModel::categoryIds(std::string_view classes) const {
  AskedClasses asked(*this);
  for (std::size_t begin = 0; begin <= classes.size();) {
    const std::size_t end = std::min(classes.find(',', begin), classes.size());
    const std::string_view one = withoutSpace(classes.substr(begin, end - begin));
    begin = end + 1;
    if (!one.empty()) asked.add(one);
  }
  return asked.ids();
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
