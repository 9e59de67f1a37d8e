#include "engine/coco/files/image_names.h"

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

}  // namespace lockstep::coco
