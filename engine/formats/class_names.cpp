#include "engine/formats/class_names.h"

#include <set>

#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"

namespace lockstep::formats {

void foldClassNames(Source& source) {
  std::map<std::string, std::uint64_t> objectsOf;  // by original name
  const auto fold = [&](std::string& name, std::uint64_t objects) {
    std::string folded = base::simplified(name);
    if (folded == name || folded.empty()) return;
    objectsOf[name] += objects;
    name = std::move(folded);
  };
  for (coco::Category& category : source.categories) fold(category.name, 0);
  for (SourceImage& image : source.images) {
    for (SourceObject& object : image.objects) fold(object.category, 1);
    for (auto* names : {&image.negativeCategories, &image.notExhaustiveCategories})
      for (std::string& name : *names) fold(name, 0);
  }
  std::set<std::string> known;
  std::erase_if(source.categories, [&](const coco::Category& category) {
    return !known.insert(category.name).second;
  });
  for (const auto& [name, objects] : objectsOf)
    source.addFault("class '" + base::shortened(name) + "'",
                    "has extra spaces or line breaks in its name; it is imported as '" +
                        base::shortened(base::simplified(name)) + "' (" +
                        base::counted(objects, "object") + ")");
}

}  // namespace lockstep::formats
