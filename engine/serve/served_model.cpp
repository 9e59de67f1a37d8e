#include "engine/serve/served_model.h"

#include <algorithm>
#include <charconv>

#include "engine/base/json_writer.h"
#include "engine/base/shortened_text.h"
#include "engine/serve/http_message.h"

namespace lockstep::serve {

std::vector<std::int64_t> ServedModel::categoryIds(std::string_view classes) const {
  std::vector<std::int64_t> ids;
  for (std::size_t begin = 0; begin <= classes.size();) {
    const std::size_t end = std::min(classes.find(',', begin), classes.size());
    const std::string_view one = withoutSpace(classes.substr(begin, end - begin));
    begin = end + 1;
    if (one.empty()) continue;
    std::int64_t id = 0;
    const auto [last, error] = std::from_chars(one.data(), one.data() + one.size(), id);
    const bool isId = error == std::errc() && last == one.data() + one.size();
    const auto found = std::ranges::find_if(categories, [&](const coco::Category& category) {
      return category.name == one || (isId && category.id.value == id);
    });
    if (found != categories.end()) {
      ids.push_back(found->id.value);
    } else if (isId && categories.empty()) {
      ids.push_back(id);
    } else {
      throw HttpError{
          400, "classes: the model has no class '" + base::shortened(std::string(one)) + "'"};
    }
  }
  return ids;
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
