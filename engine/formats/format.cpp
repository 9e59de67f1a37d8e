#include "engine/formats/format.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/base/utf8.h"
#include "engine/formats/json_node.h"
#include "engine/formats/reading.h"
#include "engine/formats/xml_file.h"
#include "engine/formats/yolo.h"

namespace lockstep::formats {
namespace {

constexpr std::size_t kMostSniffed = 30;  ///< files of a kind that are looked into
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

/// At most kMostSniffed of the files, from all of the list.
std::vector<fs::path> sampleOf(const std::vector<fs::path>& files) {
  std::vector<fs::path> sample;
  const std::size_t count = std::min(files.size(), kMostSniffed);
  for (std::size_t i = 0; i < count; ++i) sample.push_back(files[i * files.size() / count]);
  return sample;
}

/// The formats of some files, that of most of them first; damaged ones do not count.
std::vector<FoundFormat> formatsOfFiles(const std::vector<fs::path>& files,
                                        std::optional<Format> (*formatOf)(const fs::path&)) {
  std::map<Format, std::vector<fs::path>> filesOf;
  for (const fs::path& file : sampleOf(files)) {
    try {
      if (const auto format = formatOf(file)) filesOf[*format].push_back(file);
    } catch (const Error&) {
      continue;  // the reader will say what is wrong with it
    }
  }
  std::vector<std::pair<Format, std::vector<fs::path>>> counted(filesOf.begin(), filesOf.end());
  std::ranges::stable_sort(counted, std::greater(),
                           [](const auto& entry) { return entry.second.size(); });
  std::vector<FoundFormat> formats;
  for (const auto& [format, ofFormat] : counted) formats.push_back({format, ofFormat.front()});
  return formats;
}

bool isInLabelsFolder(const fs::path& file, const fs::path& root) {
  return std::ranges::count(file.lexically_relative(root).parent_path(), fs::path("labels")) > 0;
}

/// A class and at least the four numbers of a box.
bool hasYoloLine(const fs::path& file) {
  std::ifstream stream(file);
  std::size_t numbers = 0;
  for (double number = 0; numbers < 5 && stream >> number; ++numbers) {
  }
  return numbers == 5;
}

std::optional<FoundFormat> yoloIn(const fs::path& path, const ImageIndex& images,
                                  bool hasOtherFormats) {
  if (const auto description = yoloDescriptionIn(path))
    return FoundFormat{Format::Yolo, *description};
  if (!fs::is_directory(path)) return std::nullopt;
  const std::vector<fs::path> texts = filesBelow(path, {".txt"});
  for (const fs::path& text : texts)
    if (isInLabelsFolder(text, path)) return FoundFormat{Format::Yolo, text};
  for (const fs::path& text : sampleOf(texts)) {
    const std::vector<fs::path> ofStem = images.withStem(text.stem().string());
    const bool isBesideImage = std::ranges::any_of(
        ofStem, [&](const fs::path& image) { return image.parent_path() == text.parent_path(); });
    if (isBesideImage && hasYoloLine(text)) return FoundFormat{Format::Yolo, text};
  }
  // Other formats may have a list of classes as well.
  for (const char* classes : {"classes.txt", "obj.names"})
    if (!hasOtherFormats && isFile(path / classes))
      return FoundFormat{Format::Yolo, path / classes};
  return std::nullopt;
}

const std::vector<std::string> kArchiveExtensions{".zip", ".gz", ".tgz", ".tar", ".7z", ".rar"};

bool isArchive(const fs::path& file) {
  using namespace std::string_view_literals;
  std::array<char, 512> start{};
  std::ifstream(file, std::ios::binary).read(start.data(), start.size());
  const std::string_view bytes(start.data(), start.size());
  constexpr std::size_t kTarMark = 257;
  return std::ranges::any_of(std::array{"PK\3\4"sv, "\x1f\x8b"sv, "7z\xbc\xaf"sv, "Rar!"sv},
                             [&](std::string_view mark) { return bytes.starts_with(mark); }) ||
         bytes.substr(kTarMark).starts_with("ustar");
}

bool isCocoOrLvis(const FoundFormat& found) {
  return found.format == Format::Coco || found.format == Format::Lvis;
}

}  // namespace

std::vector<FoundFormat> formatsIn(const fs::path& path) {
  std::vector<FoundFormat> formats = formatsOfFiles(filesBelow(path, {".json"}), formatOfJson);
  const std::vector<FoundFormat> xml = formatsOfFiles(filesBelow(path, {".xml"}), formatOfXml);
  const ImageIndex images(path);
  const std::vector<fs::path> geoJson = filesBelow(path, {".geojson"});
  if (!geoJson.empty() && geoJson[0].extension() == ".geojson" &&
      std::ranges::count(formats, Format::GeoJson, &FoundFormat::format) == 0)
    formats.push_back({Format::GeoJson, geoJson[0]});
  formats.insert(formats.end(), xml.begin(), xml.end());
  if (const auto yolo = yoloIn(path, images, !formats.empty())) {
    const bool isSecond = !formats.empty() && isCocoOrLvis(formats[0]);
    formats.insert(formats.begin() + (isSecond ? 1 : 0), *yolo);
  }
  if (const auto labels = labelImageIn(path, images)) formats.push_back({Format::Masks, *labels});
  // One reader reads both.
  if (!formats.empty() && isCocoOrLvis(formats[0]))
    formats.erase(std::remove_if(formats.begin() + 1, formats.end(), isCocoOrLvis), formats.end());
  return formats;
}

std::string formatProblem(const fs::path& path) {
  for (const fs::path& file : filesBelow(path, kArchiveExtensions))
    if (isArchive(file)) return file.string() + ": is an archive; unpack it, and import its folder";
  std::string first;
  std::size_t damaged = 0;
  for (const auto& [extension, formatOf] :
       {std::pair(".json", &formatOfJson), {".xml", &formatOfXml}}) {
    for (const fs::path& file : sampleOf(filesBelow(path, {extension}))) {
      if (base::lowerCase(file.extension().string()) != extension) continue;
      try {
        formatOf(file);
      } catch (const Error& error) {
        if (damaged++ == 0) first = error.what();
      }
    }
  }
  if (damaged < 2) return first;
  return first + "; " + base::counted(damaged - 1, "other file") + (damaged == 2 ? " is" : " are") +
         " damaged too";
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
