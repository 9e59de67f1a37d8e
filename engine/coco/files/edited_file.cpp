#include "engine/coco/files/edited_file.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "engine/coco/files/json_file.h"
#include "engine/coco/files/json_nan.h"
#include "engine/coco/files/read_table.h"

namespace lockstep::coco {
namespace {

using Json = nlohmann::ordered_json;

Json jsonOf(const Segmentation& segmentation) {
  if (const Rle* rle = std::get_if<Rle>(&segmentation))
    return {{"size", {rle->height, rle->width}}, {"counts", compressCounts(*rle)}};
  return std::get<0>(segmentation);
}

/// Triples x, y, visibility; what is none stays as it is written.
void moveKeypoints(const EntryEdit& edit, Json& entry) {
  const auto keypoints = entry.find("keypoints");
  if (keypoints == entry.end() || !keypoints->is_array()) return;
  for (std::size_t i = 0; i + 2 < keypoints->size(); i += 3) {
    Json &x = (*keypoints)[i], &y = (*keypoints)[i + 1];
    if (!x.is_number() || !y.is_number()) continue;
    if (x == 0 && y == 0 && (*keypoints)[i + 2] == 0) continue;
    const auto moved = edit.movedKeypoint(x.get<double>(), y.get<double>());
    x = moved[0];
    y = moved[1];
  }
}

/// Replaces quoted NaN with null.
void removeNan(Json& value) {
  if (value.is_string() && isQuotedNan(value.get_ref<const std::string&>())) value = nullptr;
  if (!value.is_structured()) return;
  for (Json& element : value) removeNan(element);
}

std::string editedEntry(std::string text, const EntryEdit& edit) {
  const bool hasNan = quoteNan(text);
  Json entry = Json::parse(text);
  if (hasNan) removeNan(entry);
  if (edit.id) entry["id"] = *edit.id;
  if (edit.size) {
    entry["width"] = edit.size->width;
    entry["height"] = edit.size->height;
  }
  if (edit.segmentation) entry["segmentation"] = jsonOf(*edit.segmentation);
  if (edit.boxXywh) entry["bbox"] = *edit.boxXywh;
  if (edit.area) entry["area"] = *edit.area;
  if (edit.movedKeypoint) moveKeypoints(edit, entry);
  return entry.dump();
}

/// Writes the entries of a table anew, those that are left.
class TableEditor {
 public:
  TableEditor(const JsonFile& file, const EntryEdits& edits) : file_(file), edits_(edits) {}

  std::string edited(const JsonTable& table) {
    std::string text;
    PieceReader reader(file_);
    for (const JsonPiece& piece : table.pieces) {
      reader.read(piece, [&](JsonValue value) {
        const std::size_t byte = reader.byteOf(value);
        const std::string_view whole = reader.inFile(rawText(value));
        const auto edit = edits_.find(byte);
        if (edit != edits_.end() && edit->second.isRemoved) return;
        text += text.empty() ? "" : ",\n";
        if (edit == edits_.end()) {
          text += whole;
        } else {
          text += editedEntry(std::string(whole), edit->second);
        }
      });
    }
    return text;
  }

 private:
  /// Only an object is kept: other entries are invalid and removed.
  static std::string_view rawText(JsonValue& value) {
    if (simdjson::ondemand::json_type(value.type()) != simdjson::ondemand::json_type::object) {
      const std::string_view token = value.raw_json_token();
      skipValue(value);
      return token;
    }
    simdjson::ondemand::object object = value.get_object();
    return object.raw_json();
  }

  const JsonFile& file_;
  const EntryEdits& edits_;
};

}  // namespace

std::string editedAnnotationFile(const std::filesystem::path& path, const EntryEdits& edits) {
  const JsonFile file = JsonFile::load(path, "annotation file");
  const JsonOutline outline = file.outline();
  TableEditor editor(file, edits);
  std::string text;
  const char* written = file.content().data();
  for (const JsonOutline::Member& member : outline.members) {
    const bool isTable =
        member.key == "images" || member.key == "categories" || member.key == "annotations";
    if (!isTable || member.table.pieces.empty()) continue;
    const std::string_view first = member.table.pieces.front().text,
                           last = member.table.pieces.back().text;
    text.append(written, first.data());
    text += editor.edited(member.table);
    written = last.data() + last.size();
  }
  text.append(written, file.content().data() + file.content().size());
  return text;
}

}  // namespace lockstep::coco
