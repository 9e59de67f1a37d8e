// A data set from and to a COCO instances file.
#include <algorithm>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/coco/files/dataset_checks.h"
#include "engine/coco/files/json_document.h"
#include "engine/coco/files/json_text.h"
#include "engine/coco/files/read_table.h"

namespace lockstep::coco {
namespace {

namespace dom = simdjson::dom;

/// The three tables of the file, each an array.
struct Tables {
  dom::array images, categories, annotations;
};

dom::array takeTable(dom::object root, const char* key, const std::string& name) {
  dom::element value;
  if (root.at_key(key).get(value) != simdjson::SUCCESS) {
    throw Error(name + ": has no \"" + key +
                "\"; a COCO instances file has images, annotations and categories");
  }
  dom::array table;
  if (value.get_array().get(table) != simdjson::SUCCESS) {
    throw Error(name + ": \"" + key + "\" is " + kindOf(value) + "; it must be an array");
  }
  return table;
}

Tables takeTables(dom::element root, const std::string& name) {
  dom::object object;
  if (root.get_object().get(object) != simdjson::SUCCESS) {
    throw Error(name + ": is " + kindOf(root) +
                ", not a COCO instances file: an object with images, annotations and categories" +
                (root.is_array() ? " (is it a file of results?)" : ""));
  }
  return {takeTable(object, "images", name), takeTable(object, "categories", name),
          takeTable(object, "annotations", name)};
}

/// "annotation 7" where the entry has a readable id, else its place in the file.
std::string describeEntry(dom::element entry, const char* kind, const char* table,
                          std::size_t index) {
  dom::element id;
  if (entry.at_key("id").get(id) == simdjson::SUCCESS) {
    const auto whole = wholeNumber(id);
    if (whole) return kind + (" " + std::to_string(*whole));
  }
  return table + ("[" + std::to_string(index) + "]");
}

/// Reads every entry of a table with `take(reader)` and reports those with a fault.
template <typename Entry>
std::vector<Entry> readEntries(dom::array table, const char* kind, const char* key,
                               FaultList& faults, Entry (*take)(RecordReader&)) {
  return readTable<Entry>(table, take,
                          [&](std::size_t index, dom::element element, const std::string& fault) {
                            faults.add(describeEntry(element, kind, key, index), fault);
                          });
}

int takeSide(RecordReader& reader, const char* key) {
  const std::int64_t side = reader.takeWhole(key);
  return static_cast<int>(std::clamp<std::int64_t>(side, INT32_MIN, INT32_MAX));
}

Image takeImage(RecordReader& reader) {
  Image image;
  image.id.value = reader.takeWhole("id");
  image.fileName = reader.takeText("file_name");
  image.width = takeSide(reader, "width");
  image.height = takeSide(reader, "height");
  return image;
}

Category takeCategory(RecordReader& reader) {
  Category category;
  category.id.value = reader.takeWhole("id");
  category.name = reader.takeText("name");
  return category;
}

AnnotationDraft takeAnnotation(RecordReader& reader) {
  AnnotationDraft draft;
  Annotation& annotation = draft.annotation;
  annotation.id = reader.takeWhole("id");
  annotation.imageId.value = reader.takeWhole("image_id");
  annotation.categoryId.value = reader.takeWhole("category_id");
  annotation.isCrowd = reader.takeFlag("iscrowd");
  const auto box = reader.takeBox("bbox");
  const auto area = reader.takeOptionalNumber("area");
  auto segmentation = reader.takeSegmentation("segmentation");
  draft.hasBox = box.has_value();
  draft.hasArea = area.has_value();
  annotation.boxXywh = box.value_or(annotation.boxXywh);
  annotation.area = area.value_or(0);
  if (segmentation) annotation.segmentation = std::move(*segmentation);
  return draft;
}

void appendImage(const Image& image, std::string& json) {
  json += "{\"id\":";
  appendNumber(image.id.value, json);
  json += ",\"file_name\":";
  appendString(image.fileName, json);
  json += ",\"width\":";
  appendNumber(std::int64_t{image.width}, json);
  json += ",\"height\":";
  appendNumber(std::int64_t{image.height}, json);
  json += "}";
}

void appendCategory(const Category& category, std::string& json) {
  json += "{\"id\":";
  appendNumber(category.id.value, json);
  json += ",\"name\":";
  appendString(category.name, json);
  json += "}";
}

void appendSegmentation(const Segmentation& segmentation, std::string& json) {
  if (const Rle* rle = std::get_if<Rle>(&segmentation)) {
    json += "{\"size\":";
    appendNumbers(std::array<std::int64_t, 2>{rle->height, rle->width}, json);
    json += ",\"counts\":";
    appendNumbers(std::vector<std::int64_t>(rle->counts.begin(), rle->counts.end()), json);
    json += "}";
    return;
  }
  const char* separator = "[";
  for (const auto& polygon : std::get<0>(segmentation)) {
    json += separator;
    appendNumbers(polygon, json);
    separator = ",";
  }
  json += "]";
}

void appendAnnotation(const Annotation& annotation, std::string& json) {
  json += "{\"id\":";
  appendNumber(annotation.id, json);
  json += ",\"image_id\":";
  appendNumber(annotation.imageId.value, json);
  json += ",\"category_id\":";
  appendNumber(annotation.categoryId.value, json);
  json += ",\"bbox\":";
  appendNumbers(annotation.boxXywh, json);
  json += ",\"area\":";
  appendNumber(annotation.area, json);
  json += annotation.isCrowd ? ",\"iscrowd\":1" : ",\"iscrowd\":0";
  json += ",\"segmentation\":";
  appendSegmentation(annotation.segmentation, json);
  json += "}";
}

/// The entries of one table, one a line.
template <typename Entries, typename Append>
void appendTable(const Entries& entries, std::string& json, Append append, bool& isFirst) {
  for (const auto& entry : entries) {
    json += isFirst ? "\n" : ",\n";
    isFirst = false;
    append(entry, json);
  }
}

}  // namespace

Dataset Dataset::load(const std::filesystem::path& file) {
  const std::string name = file.string();
  const JsonDocument document(JsonDocument::read(file, "annotation file"), name);
  const Tables tables = takeTables(document.root(), name);
  FaultList faults(name);
  DatasetParts parts;
  parts.images = readEntries<Image>(tables.images, "image", "images", faults, takeImage);
  parts.categories =
      readEntries<Category>(tables.categories, "category", "categories", faults, takeCategory);
  sortAndCheck(parts, faults);
  faults.throwIfAny();
  parts.annotations = readEntries<AnnotationDraft>(tables.annotations, "annotation", "annotations",
                                                   faults, takeAnnotation);
  return assemble(std::move(parts), faults);
}

void saveDataset(const Dataset& dataset, const std::filesystem::path& file) {
  std::string json = "{\"images\":[";
  bool isFirst = true;
  appendTable(dataset.images(), json, appendImage, isFirst);
  json += "],\n\"categories\":[";
  isFirst = true;
  appendTable(dataset.categories(), json, appendCategory, isFirst);
  json += "],\n\"annotations\":[";
  isFirst = true;
  for (std::size_t i = 0; i < dataset.images().size(); ++i) {
    appendTable(dataset.annotationsOf(i), json, appendAnnotation, isFirst);
  }
  json += "]}\n";
  base::writeFileAtomically(file, json);
}

}  // namespace lockstep::coco
