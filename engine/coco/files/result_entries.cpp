#include "engine/coco/files/result_entries.h"

#include "engine/base/error.h"
#include "engine/coco/files/error_list.h"

namespace lockstep::coco {

ResultEntry takeEntry(const JsonFile& file, JsonValue value, RecordReader& record,
                      const PieceReader& reader) {
  ResultEntry entry;
  record.read(value, {"image_id", "category_id", "score"},
              [&](std::string_view key, FieldReader field) {
                if (key == "image_id") {
                  entry.imageId.value = field.integer();
                } else if (key == "category_id") {
                  entry.categoryId.value = field.integer();
                } else if (key == "score") {
                  entry.score = field.number();
                } else if (key == "bbox") {
                  const auto box = field.box();
                  entry.hasBox = box.has_value();
                  entry.boxXywh = box.value_or(entry.boxXywh);
                } else if (key == "segmentation") {
                  const std::string_view runs = field.rleText();
                  if (runs.size() > kMaxMaskBytes) record.fail("segmentation is over 32 MiB long");
                  entry.maskBytes = runs.size() & kMaxMaskBytes;
                  entry.maskAt = runs.empty() ? 0 : file.byteOf(reader.inFile(runs).data()) - 1;
                } else {
                  field.skip();
                }
              });
  if (!entry.hasBox && entry.maskBytes == 0 && !record.hasError()) {
    record.fail("has neither \"bbox\" nor \"segmentation\"");
  }
  return entry;
}

void requireRoomFor(const JsonFile& file) {
  if (file.text().size() > kMaxResultsBytes) throw Error(file.name() + ": is over 256 GiB long");
}

std::vector<ResultEntry> readResults(const JsonFile& file) {
  requireRoomFor(file);
  const JsonOutline outline = file.outline();
  checkTable(file, outline.rest);
  if (outline.kind != std::string_view("an array")) {
    for (const auto& member : outline.members) checkTable(file, member.table);
    throw Error(
        file.name() + ": is " + outline.kind +
        ", not COCO results: an array of {image_id, category_id, score, bbox, segmentation}");
  }
  ErrorList errors(file.name());
  auto entries = readTable<ResultEntry>(
      file, outline.elements,
      [&file](JsonValue value, RecordReader& record, const PieceReader& reader) {
        return takeEntry(file, value, record, reader);
      },
      [&](const RecordError& error, const ResultEntry&) {
        errors.add("result " + std::to_string(error.index + 1), error.what(), error.byte);
        return false;
      });
  errors.throwIfAny();
  return entries;
}

Detection EntryDecoder::decode(const ResultEntry& entry, std::size_t index) {
  Detection detection{entry.imageId, entry.categoryId, entry.score, entry.boxXywh, {}};
  if (entry.maskBytes == 0) return detection;
  const std::string_view text = entry.maskText(file_);
  try {
    if (!usualRles_.read(text, detection.mask)) detection.mask = parseRle(text, parser_);
  } catch (const Error& error) {
    file_.throwIfChanged();
    throw Error(file_.name() + ": result " + std::to_string(index + 1) + ": " + error.what() +
                " (at byte " + std::to_string(file_.byteOf(text.data())) + ")");
  } catch (const simdjson::simdjson_error& error) {  // it was valid when readResults() read it
    file_.throwBroken(error.error());
  }
  file_.used(text.size());
  if (!entry.hasBox) detection.boxXywh = boundingBoxXywh(detection.mask);
  if (areaIsOfMask_) detection.areaPx = static_cast<double>(areaPx(detection.mask));
  return detection;
}

}  // namespace lockstep::coco
