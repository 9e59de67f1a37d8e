#include "engine/coco/files/image_names.h"

#include "engine/base/error.h"
#include "engine/coco/files/read_table.h"

namespace lockstep::coco {

std::unordered_set<std::string> loadImageNames(const std::filesystem::path& file) {
  const JsonFile content = JsonFile::load(file, "annotation file");
  std::unordered_set<std::string> names;
  PieceReader reader(content);
  for (const JsonOutline::Member& member : content.outline().members) {
    if (member.key != "images") continue;
    for (const JsonPiece& piece : member.table.pieces)
      reader.read(piece, [&](JsonValue image) {
        std::string_view name;
        if (image["file_name"].get_string().get(name) == simdjson::SUCCESS) names.emplace(name);
      });
  }
  return names;
}

std::map<ImageId, std::string> loadNamesInResults(const std::filesystem::path& file) {
  const JsonFile content = JsonFile::load(file, "results file");
  if (content.text().find("\"file_name\"") == std::string_view::npos) return {};
  std::map<ImageId, std::string> names;
  PieceReader reader(content);
  const auto take = [&](JsonValue value) {
    RecordReader record;
    ImageId id;
    std::string name;
    record.read(value, {"image_id", "file_name"}, [&](std::string_view key, FieldReader field) {
      if (key == "image_id") {
        id.value = field.integer();
      } else if (key == "file_name") {
        name = field.string();
      } else {
        field.skip();
      }
    });
    if (record.hasError()) return;
    const auto [known, isNew] = names.try_emplace(id, name);
    if (!isNew && known->second != name)
      throw Error(content.name() + ": image_id " + std::to_string(id.value) + " stands for " +
                  known->second + " and for " + name + ": each image needs an id of its own");
  };
  for (const JsonPiece& piece : content.outline().elements.pieces) reader.read(piece, take);
  return names;
}

}  // namespace lockstep::coco
