#include "engine/formats/format.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/formats/json_node.h"
#include "engine/formats/reading.h"
#include "engine/formats/xml_file.h"
#include "engine/formats/yolo.h"

namespace lockstep::formats {
namespace {

constexpr std::size_t kMostSniffed = 20;  ///< files of a kind that are looked into
constexpr std::uintmax_t kMostParsedBytes = 64
                                            << 20;  ///< of larger JSON only the beginning is read

std::optional<Format> formatOfTasks(const JsonNode& list) {
  if (list.size() == 0) return std::nullopt;
  const JsonNode first = list[0];
  if (first.find("geometry")) return Format::GeoJson;
  return first.find("data") ? std::optional(Format::LabelStudio) : std::nullopt;
}

bool isVia(const JsonNode& root) {
  if (root.find("_via_img_metadata")) return true;
  bool isImage = false;
  root.forEachMember([&](std::string_view, const JsonNode& value) {
    isImage = isImage || (value.find("filename") && value.find("regions"));
  });
  return isImage;
}

bool isLvis(const JsonNode& root) {
  const auto categories = root.find("categories");
  return categories && categories->isArray() && categories->size() > 0 &&
         (*categories)[0].find("frequency");
}

/// Of a file that is too large to be read twice: by the keys in its first part.
std::optional<Format> formatOfBeginning(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text(64 << 10, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  const auto has = [&](const char* key) {
    return text.find("\"" + std::string(key) + "\"") != std::string::npos;
  };
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool isList = first != std::string::npos && text[first] == '[';
  if (has("geometry")) return Format::GeoJson;
  if (isList) return has("data") ? std::optional(Format::LabelStudio) : std::nullopt;
  if (has("_via_img_metadata") || has("shape_attributes")) return Format::Via;
  if (has("shapes") && has("imageData")) return Format::LabelMe;
  return has("neg_category_ids") || has("not_exhaustive_category_ids") ? Format::Lvis
                                                                       : Format::Coco;
}

std::optional<Format> formatOfJson(const fs::path& file) {
  std::error_code unknown;
  if (fs::file_size(file, unknown) > kMostParsedBytes) return formatOfBeginning(file);
  const JsonDocument document(file);
  const JsonNode root = document.root();
  if (root.isArray()) return formatOfTasks(root);
  if (!root.isObject()) return std::nullopt;
  if (root.find("images") && root.find("annotations") && root.find("categories"))
    return isLvis(root) ? Format::Lvis : Format::Coco;
  if (root.find("shapes")) return Format::LabelMe;
  if (root.find("imgHeight") && root.find("objects")) return Format::Cityscapes;
  if (root.find("features") || root.find("geometry")) return Format::GeoJson;
  return isVia(root) ? std::optional(Format::Via) : std::nullopt;
}

std::optional<Format> formatOfXml(const fs::path& file) {
  const pugi::xml_document document = readXml(file);
  if (document.child("annotations")) return Format::Cvat;
  return document.child("annotation") ? std::optional(Format::Voc) : std::nullopt;
}

/// The format that most of the first files have; damaged ones do not count.
std::optional<Format> formatOfFiles(const std::vector<fs::path>& files,
                                    std::optional<Format> (*formatOf)(const fs::path&)) {
  std::map<Format, std::size_t> counts;
  for (std::size_t i = 0; i < std::min(files.size(), kMostSniffed); ++i) {
    try {
      if (const auto format = formatOf(files[i])) ++counts[*format];
    } catch (const Error&) {
      continue;  // the reader will say what is wrong with it
    }
  }
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return most == counts.end() ? std::nullopt : std::optional(most->first);
}

bool hasFolder(const fs::path& file, const fs::path& root, const std::string& name) {
  return std::ranges::count(file.lexically_relative(root).parent_path(), fs::path(name)) > 0;
}

bool isYolo(const fs::path& path) {
  if (yoloDescriptionIn(path)) return true;
  if (isFile(path / "classes.txt") || isFile(path / "obj.names")) return true;
  const std::vector<fs::path> texts = filesBelow(path, {".txt"});
  return std::ranges::any_of(texts,
                             [&](const fs::path& file) { return hasFolder(file, path, "labels"); });
}

}  // namespace

std::optional<Format> detectFormat(const fs::path& path) {
  const auto json = formatOfFiles(filesBelow(path, {".json"}), formatOfJson);
  const auto xml = formatOfFiles(filesBelow(path, {".xml"}), formatOfXml);
  if (json && (*json == Format::Coco || *json == Format::Lvis)) return json;
  if (isYolo(path) && !fs::is_regular_file(path)) return Format::Yolo;
  if (fs::is_regular_file(path) && (path.extension() == ".yaml" || path.extension() == ".yml"))
    return Format::Yolo;
  if (json) return json;
  if (!filesBelow(path, {".geojson"}).empty()) return Format::GeoJson;
  if (xml) return xml;
  return fs::is_directory(path) && hasMaskFolder(path) ? std::optional(Format::Masks)
                                                       : std::nullopt;
}

std::string filesText(const fs::path& path) {
  std::map<std::string, std::size_t> counts;
  std::error_code failure;
  for (fs::recursive_directory_iterator entry(path, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored))
      ++counts[base::lowerCase(entry->path().extension().string())];
  }
  std::vector<std::pair<std::size_t, std::string>> kinds;
  for (const auto& [extension, count] : counts)
    kinds.emplace_back(count, extension.empty() ? "without extension" : extension);
  std::ranges::sort(kinds, std::greater());
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(kinds.size(), 5); ++i)
    text += (text.empty() ? "" : ", ") + std::to_string(kinds[i].first) + " " + kinds[i].second;
  return text.empty() ? "no files" : text;
}

Source readSource(Format format, const Reading& reading) {
  switch (format) {
    case Format::Coco:
    case Format::Lvis:
      return readCoco(reading);
    case Format::LabelMe:
      return readLabelMe(reading);
    case Format::Yolo:
      return readYolo(reading);
    case Format::Voc:
      return readVoc(reading);
    case Format::Cvat:
      return readCvat(reading);
    case Format::Via:
      return readVia(reading);
    case Format::Cityscapes:
      return readCityscapes(reading);
    case Format::LabelStudio:
      return readLabelStudio(reading);
    case Format::GeoJson:
      return readGeoJson(reading);
    case Format::Masks:
      return readMaskFolder(reading);
  }
  return {};
}

}  // namespace lockstep::formats
