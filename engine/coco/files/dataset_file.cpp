// Reads and writes COCO instances files.
#include <algorithm>
#include <array>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/json_writer.h"
#include "engine/coco/files/category_frequency.h"
#include "engine/coco/files/dataset_checks.h"
#include "engine/coco/files/read_table.h"

namespace lockstep::coco {
namespace {

constexpr std::array<std::string_view, 3> kTableNames{"images", "categories", "annotations"};

/// Null if there is none. The last of duplicate keys counts, as in Python.
const JsonOutline::Member* findMember(const JsonOutline& outline, std::string_view key) {
  const auto found = std::find_if(outline.members.rbegin(), outline.members.rend(),
                                  [&](const auto& member) { return member.key == key; });
  return found == outline.members.rend() ? nullptr : &*found;
}

/// Validates the JSON of everything that is not read as a table. Throws Error for invalid JSON.
void checkOthers(const JsonFile& file, const JsonOutline& outline) {
  checkTable(file, outline.rest);
  const bool hasTables = std::ranges::all_of(
      kTableNames, [&](std::string_view key) { return findMember(outline, key) != nullptr; });
  for (const auto& member : outline.members) {
    const bool isRead = hasTables && std::ranges::count(kTableNames, member.key) > 0 &&
                        findMember(outline, member.key) == &member;
    if (!isRead) checkTable(file, member.table);
  }
}

const JsonTable& takeTable(const JsonOutline& outline, const char* key, const std::string& name) {
  const JsonOutline::Member* member = findMember(outline, key);
  if (member == nullptr) {
    throw NotInstances(name + ": has no \"" + key +
                       "\"; a COCO instances file has images, annotations and categories");
  }
  if (member->kind != std::string_view("an array")) {
    throw Error(name + ": \"" + key + "\" is " + member->kind + "; it must be an array");
  }
  return member->table;
}

/// Sets the ids of an invalid entry, as far as they could be read.
void setIds(const RecordError& from, const ImageDraft&, EntryError& error) {
  error.table = EntryTable::Images;
  error.imageId = from.id;
}
void setIds(const RecordError& from, const CategoryDraft&, EntryError& error) {
  error.table = EntryTable::Categories;
  error.categoryId = from.id;
}
void setIds(const RecordError& from, const AnnotationDraft& draft, EntryError& error) {
  error.annotationId = from.id;
  if (draft.annotation.imageId.value != 0) error.imageId = draft.annotation.imageId.value;
}

/// Reads every entry of a table with `take(value, record, reader)` and reports the invalid ones, as
/// "annotation 7" if the entry has a valid id, else with its index, "annotations[4]". A lenient
/// reader keeps those that can be mended.
template <typename Entry>
std::vector<Entry> readEntries(const JsonFile& file, const JsonTable& table, const char* kind,
                               const char* key, ErrorList& errors,
                               Entry (*take)(JsonValue, RecordReader&, const PieceReader&)) {
  return readTable<Entry>(file, table, take, [&](const RecordError& found, Entry& entry) {
    const std::string where = found.id ? kind + (" " + std::to_string(*found.id))
                                       : key + ("[" + std::to_string(found.index) + "]");
    for (const RecordFault& one : found.faults) {
      EntryError error{where, one.what, found.byte, one.fault};
      setIds(found, entry, error);
      errors.add(std::move(error));
    }
    return errors.isLenient() && isMendable(found.faults.front().fault);
  });
}

int takeSide(FieldReader& field) {
  return static_cast<int>(std::clamp<std::int64_t>(field.integer(), INT32_MIN, INT32_MAX));
}

/// Folder and file of an image's address, `val2017/000000397133.jpg`, which LVIS files have instead
/// of a name.
std::string fileNameIn(const std::string& address) {
  const std::size_t file = address.rfind('/');
  const std::size_t folder = file == 0 ? std::string::npos : address.rfind('/', file - 1);
  return folder == std::string::npos ? address : address.substr(folder + 1);
}

std::vector<CategoryId> takeCategories(FieldReader& field) {
  std::vector<CategoryId> categories;
  for (const std::int64_t id : field.integers()) categories.push_back({id});
  return categories;
}

ImageDraft takeImage(JsonValue value, RecordReader& record, const PieceReader& reader) {
  ImageDraft draft{{}, reader.byteOf(value)};
  Image& image = draft.entry;
  std::string address;
  record.read(value, {"id", "width", "height"}, [&](std::string_view key, FieldReader field) {
    if (key == "id") {
      image.id.value = field.integer();
    } else if (key == "file_name") {
      image.fileName = field.string();
    } else if (key == "coco_url") {
      address = field.string();
    } else if (key == "width") {
      image.width = takeSide(field);
    } else if (key == "height") {
      image.height = takeSide(field);
    } else if (key == "neg_category_ids") {
      image.negativeCategories = takeCategories(field);
    } else if (key == "not_exhaustive_category_ids") {
      image.notExhaustiveCategories = takeCategories(field);
    } else {
      field.skip();
    }
  });
  if (image.fileName.empty()) image.fileName = fileNameIn(address);
  if (image.fileName.empty()) record.fail("has no \"file_name\"");
  return draft;
}

CategoryDraft takeCategory(JsonValue value, RecordReader& record, const PieceReader& reader) {
  CategoryDraft draft{{}, reader.byteOf(value)};
  Category& category = draft.entry;
  record.read(value, {"id", "name"}, [&](std::string_view key, FieldReader field) {
    if (key == "id") {
      category.id.value = field.integer();
    } else if (key == "name") {
      category.name = field.string();
    } else if (key == "frequency") {
      category.frequency = frequencyNamed(field.string());
    } else {
      field.skip();
    }
  });
  return draft;
}

void takeField(std::string_view key, FieldReader& field, AnnotationDraft& draft) {
  Annotation& annotation = draft.annotation;
  if (key == "id") {
    const auto id = field.integerIfAny();
    (id ? draft.hasId : draft.hasOtherId) = true;
    annotation.id = id.value_or(0);
  } else if (key == "image_id") {
    annotation.imageId.value = field.integer();
  } else if (key == "category_id") {
    annotation.categoryId.value = field.integer();
  } else if (key == "iscrowd") {
    annotation.isCrowd = field.boolean();
  } else if (key == "bbox") {
    const auto box = field.box();
    draft.hasBox = box.has_value();
    annotation.boxXywh = box.value_or(annotation.boxXywh);
  } else if (key == "area") {
    const auto area = field.area();
    draft.hasArea = area.has_value();
    annotation.area = area.value_or(0);
  } else if (key == "segmentation") {
    annotation.segmentation = field.segmentation().value_or(Segmentation());
  } else {
    field.skip();
  }
}

template <bool kWithMask>
AnnotationDraft takeAnnotation(JsonValue value, RecordReader& record, const PieceReader& reader) {
  AnnotationDraft draft;
  draft.hasBox = draft.hasArea = draft.hasId = false;
  draft.byte = reader.byteOf(value);
  draft.isMaskSkipped = !kWithMask;
  record.read(value, {"image_id", "category_id"}, [&](std::string_view key, FieldReader field) {
    if (!kWithMask && key == "segmentation")
      field.skip();
    else
      takeField(key, field, draft);
  });
  return draft;
}

/// Of LVIS files only.
void appendIds(const char* key, const std::vector<CategoryId>& ids, base::JsonWriter& json) {
  if (ids.empty()) return;
  json.key(key);
  json.beginArray();
  for (const CategoryId id : ids) json.value(id.value);
  json.endArray();
}

void appendImage(const Image& image, base::JsonWriter& json) {
  json.member("id", image.id.value);
  json.member("file_name", image.fileName);
  json.member("width", image.width);
  json.member("height", image.height);
  appendIds("neg_category_ids", image.negativeCategories, json);
  appendIds("not_exhaustive_category_ids", image.notExhaustiveCategories, json);
}

void appendCategory(const Category& category, base::JsonWriter& json) {
  json.member("id", category.id.value);
  json.member("name", category.name);
  if (category.frequency != CategoryFrequency::Unknown)
    json.member("frequency", frequencyText(category.frequency));
}

void appendSegmentation(const Segmentation& segmentation, base::JsonWriter& json) {
  if (const Rle* rle = std::get_if<Rle>(&segmentation)) {
    json.beginObject();
    json.key("size");
    json.values(std::array{rle->height, rle->width});
    json.key("counts");
    json.values(rle->counts);
    json.endObject();
    return;
  }
  json.beginArray();
  for (const auto& polygon : std::get<0>(segmentation)) json.values(polygon);
  json.endArray();
}

void appendAnnotation(const Annotation& annotation, base::JsonWriter& json) {
  json.member("id", annotation.id);
  json.member("image_id", annotation.imageId.value);
  json.member("category_id", annotation.categoryId.value);
  json.key("bbox");
  json.values(annotation.boxXywh);
  json.member("area", annotation.area);
  json.member("iscrowd", annotation.isCrowd ? 1 : 0);
  json.key("segmentation");
  if (annotation.hasMask) {
    appendSegmentation(annotation.segmentation, json);
  } else {
    json.beginArray();
    json.endArray();
  }
}

/// The entries of one table, one object per line.
template <typename Entries, typename Append>
void appendTable(const Entries& entries, std::string& json, Append append, bool& isFirst) {
  for (const auto& entry : entries) {
    json += isFirst ? "\n" : ",\n";
    isFirst = false;
    base::JsonWriter writer(json);
    writer.beginObject();
    append(entry, writer);
    writer.endObject();
  }
}

}  // namespace

DatasetParts readParts(const JsonFile& file, ErrorList& errors, bool withMasks) {
  const JsonOutline outline = file.outline();
  const std::string& name = file.name();
  checkOthers(file, outline);
  if (outline.kind != std::string_view("an object")) {
    throw NotInstances(
        name + ": is " + outline.kind +
        ", not a COCO instances file: an object with images, annotations and categories" +
        (outline.kind == std::string_view("an array") ? " (is it a results file?)" : ""));
  }
  const JsonTable& images = takeTable(outline, "images", name);
  const JsonTable& categories = takeTable(outline, "categories", name);
  const JsonTable& annotations = takeTable(outline, "annotations", name);
  if (categories.count > kMaxCategories)
    throw Error(name + ": " + tooManyCategories(categories.count));
  DatasetParts parts;
  parts.images = readEntries<ImageDraft>(file, images, "image", "images", errors, takeImage);
  parts.categories =
      readEntries<CategoryDraft>(file, categories, "category", "categories", errors, takeCategory);
  sortAndCheck(parts, errors);
  errors.throwIfAny();
  parts.annotations =
      readEntries<AnnotationDraft>(file, annotations, "annotation", "annotations", errors,
                                   withMasks ? takeAnnotation<true> : takeAnnotation<false>);
  return parts;
}

Dataset Dataset::load(const std::filesystem::path& path) {
  const JsonFile file = JsonFile::load(path, "annotation file");
  ErrorList errors(file.name());
  DatasetParts parts = readParts(file, errors);
  checkAnnotations(parts, errors);
  errors.throwIfAny();
  return assemble(std::move(parts));
}

Dataset Dataset::loadBoxes(const std::filesystem::path& path) {
  const JsonFile file = JsonFile::load(path, "annotation file");
  ErrorList errors(file.name());
  DatasetParts parts = readParts(file, errors, /*withMasks=*/false);
  const bool needsMasks = std::ranges::any_of(parts.annotations, [](const AnnotationDraft& draft) {
    return !draft.hasBox || !draft.hasArea;
  });
  if (needsMasks) return load(path);
  checkAnnotations(parts, errors);
  errors.throwIfAny();
  return assemble(std::move(parts));
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
