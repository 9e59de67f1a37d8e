// Label Studio's JSON export: a list of tasks. Coordinates are percent of the image's sides.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "engine/base/error.h"
#include "engine/coco/masks/rle.h"
#include "engine/formats/json_node.h"
#include "engine/formats/outlines.h"
#include "engine/formats/reading.h"

namespace lockstep::formats {
namespace {

/// Reads the bits of a list of bytes, highest first.
class BitReader {
 public:
  explicit BitReader(const JsonNode& bytes) : node_(bytes) {
    bytes.forEach([&](const JsonNode& byte) {
      const std::int64_t value = byte.integer();
      if (value < 0 || value > 255) byte.fail("must be a byte, 0 to 255");
      bytes_.push_back(static_cast<std::uint8_t>(value));
    });
  }
  std::uint32_t take(int bits) {
    std::uint32_t value = 0;
    for (; bits > 0; --bits, ++at_) {
      if (at_ / 8 >= bytes_.size()) node_.fail("the runs are truncated");
      value = value << 1 | (bytes_[at_ / 8] >> (7 - at_ % 8) & 1U);
    }
    return value;
  }

 private:
  const JsonNode& node_;
  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

/// A brush's mask: RGBA pixels, row by row, in runs of words. A header has the number of values (32
/// bits), the bits of a word less one (5) and four lengths of run lengths less one (4 each). Each
/// run says whether it repeats one word (1), which of the lengths its length less one has (2), and
/// then that length and its word or words.
coco::Rle brushMask(const JsonNode& rle, base::ImageSize size) {
  BitReader bits(rle);
  const std::uint64_t count = bits.take(32);
  if (count != static_cast<std::uint64_t>(size.height * size.width) * 4)
    rle.fail("is not of an image of this size");
  const int wordBits = static_cast<int>(bits.take(5)) + 1;
  std::array<int, 4> lengths{};
  for (int& length : lengths) length = static_cast<int>(bits.take(4)) + 1;
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(size.height * size.width));
  const auto put = [&](std::uint64_t at, std::uint32_t word) {
    if (at % 4 == 3) pixels[at / 4] = word > 0;  // alpha
  };
  for (std::uint64_t at = 0; at < count;) {
    const bool isRepeated = bits.take(1) != 0;
    const std::uint64_t end = at + 1 + bits.take(lengths[bits.take(2)]);
    if (end > count) rle.fail("the runs are longer than the image");
    std::uint32_t word = isRepeated ? bits.take(wordBits) : 0;
    for (; at < end; ++at) {
      if (!isRepeated) word = bits.take(wordBits);
      put(at, word);
    }
  }
  return coco::encodeMask(pixels.data(), static_cast<int>(size.height),
                          static_cast<int>(size.width), size.width);
}

/// The path in the address of a task's image, with and without the prefix of an upload,
/// `1a2b3c4d-`.
std::vector<fs::path> pathsIn(std::string address) {
  if (const std::size_t query = address.find("?d="); query != std::string::npos) {
    address = address.substr(query + 3);  // local files
  } else {
    address = address.substr(0, address.find('?'));
  }
  std::string decoded;
  for (std::size_t i = 0; i < address.size(); ++i) {
    int code = 0;
    if (address[i] == '%' && i + 2 < address.size() &&
        std::sscanf(address.c_str() + i + 1, "%2x", reinterpret_cast<unsigned*>(&code)) == 1) {
      decoded += static_cast<char>(code);
      i += 2;
    } else {
      decoded += address[i];
    }
  }
  const fs::path path = withSlashes(decoded);
  const std::string name = path.filename().string();
  constexpr std::size_t kPrefix = 8;
  return name.find('-') == kPrefix
             ? std::vector{path, path.parent_path() / name.substr(kPrefix + 1)}
             : std::vector{path};
}

constexpr const char* kLabelsType = "labels";
constexpr std::array kShapeTypes{"rectangle", "polygon", "ellipse", "brush"};

std::string typeOf(const JsonNode& result) {
  const auto type = result.find("type");
  return type ? type->string() : "";
}

/// The id that the results of one region share; empty: it has none.
std::string regionOf(const JsonNode& result) { return idTextIn(result, "id"); }

/// `rectangle` for type rectangle or rectanglelabels, and for a label with a rectangle's values.
/// Empty: a shape without an area, or none.
std::string shapeOf(const JsonNode& result) {
  const std::string type = typeOf(result);
  const auto value = result.find("value");
  for (const std::string shape : kShapeTypes)
    if (type == shape || type == shape + kLabelsType) return shape;
  if (type != kLabelsType || !value) return "";
  if (value->find("points")) return "polygon";
  if (value->find("rle")) return "brush";
  if (value->find("radiusX")) return "ellipse";
  return value->find("width") && value->find("height") ? "rectangle" : "";
}

/// The regions of an annotation whose shape and label are two results, as of the tags Rectangle and
/// Labels.
struct Regions {
  std::map<std::string, std::string> labels;  ///< by region
  std::set<std::string> shapes;               ///< regions with a result of their shape alone

  explicit Regions(const JsonNode& results) {
    results.forEach([&](const JsonNode& result) {
      const std::string region = regionOf(result), type = typeOf(result);
      if (region.empty()) return;
      if (std::ranges::count(kShapeTypes, type) > 0) shapes.insert(region);
      if (type != kLabelsType) return;
      const auto value = result.find("value");
      const auto names = value ? value->find(kLabelsType) : std::nullopt;
      if (names && names->size() > 0 && (*names)[0].isString())
        labels.emplace(region, (*names)[0].string());
    });
  }
  std::string labelOf(const JsonNode& result) const {
    const auto label = labels.find(regionOf(result));
    return label == labels.end() ? "" : label->second;
  }
};

class LabelStudioReader {
 public:
  explicit LabelStudioReader(const Reading& reading)
      : reading_(reading), index_(reading.folder()) {}

  Source read() {
    const auto faulty = reading_.forEachFile(
        filesBelow(reading_.path, {".json"}), source_, [&](const fs::path& file) {
          const JsonDocument document(file);
          const JsonNode root = document.root();
          if (!root.isArray()) return;
          root.forEach([&](const JsonNode& task) {
            if (!task.find("data")) return;
            const std::string id = idTextIn(task, "id");
            guarded(source_, reading_.shown(file) + (id.empty() ? "" : ": task " + id),
                    [&] { readTask(file, task); });
          });
        });
    images_.addOthers(index_, faulty, "has no task", source_);
    return std::move(source_);
  }

 private:
  fs::path imageOf(const JsonNode& task, const fs::path& file) const {
    std::string address;
    task.at("data").forEachMember([&](std::string_view key, const JsonNode& value) {
      if (value.isString() && (address.empty() || key == "image")) address = value.string();
    });
    if (address.empty()) task.fail("data has no address of an image");
    const std::vector<fs::path> paths = pathsIn(address);
    for (const fs::path& path : paths)
      if (!index_.find(path.string()).empty()) return index_.only(path.string(), file);
    throw Error(imageProblem(paths.back().filename().string(), {}));
  }

  /// Uses the size in the first result if it is the stored or the displayed one.
  static void setSize(const JsonNode& annotation, SourceImage& image) {
    const JsonNode results = annotation.at("result");
    if (results.size() == 0) return;
    const auto height = results[0].find("original_height"),
               width = results[0].find("original_width");
    if (!height || !width || !height->isNumber() || !width->isNumber()) return;
    const base::ImageSize size{std::llround(height->number()), std::llround(width->number())};
    image.hasOwnSize = size == image.facts.stored || size == image.facts.displayed();
    if (image.hasOwnSize) image.size = size;
  }

  void readTask(const fs::path& file, const JsonNode& task) {
    SourceImage image = images_.add(imageOf(task, file), file);
    image.unlabelledReason = "its task is not annotated";
    if (const auto annotations = task.find("annotations")) {
      bool isRead = false;
      annotations->forEach([&](const JsonNode& annotation) {
        if (isRead) return;
        const auto cancelled = annotation.find("was_cancelled");
        if (cancelled && cancelled->isTrue()) {
          image.unlabelledReason = "its task was skipped";
          return;
        }
        isRead = true;  // the first annotator's
        image.unlabelledReason.clear();
        setSize(annotation, image);
        const JsonNode results = annotation.at("result");
        const Regions regions(results);
        results.forEach([&](const JsonNode& result) {
          guarded(source_, reading_.shown(file), image,
                  [&] { readResult(result, regions, image); });
        });
      });
    }
    source_.images.push_back(std::move(image));
  }

  void readResult(const JsonNode& result, const Regions& regions, SourceImage& image) {
    const std::string type = typeOf(result), shape = shapeOf(result);
    if (type == kLabelsType && regions.shapes.contains(regionOf(result))) return;
    const auto value = result.find("value");
    if (shape.empty() || !value) {
      if (type == "keypoint" || type == "keypointlabels") {
        ++source_.losses[kNoArea];
      } else if (!type.empty()) {
        ++source_.losses["results of type " + type];
      }
      if (value && (value->find("x") || value->find("points"))) image.markLostObject();
      return;
    }
    std::string label = regions.labelOf(result);
    if (const auto labels = value->find(type); labels && labels->size() > 0) {
      label = (*labels)[0].string();
      if (labels->size() > 1) ++source_.losses["further labels of regions that have several"];
    }
    if (label.empty()) result.fail("has no label");
    const auto angle = value->find("rotation");
    if (shape == "rectangle" && (!angle || angle->number() == 0)) {
      const double width = static_cast<double>(image.size.width) / 100,
                   height = static_cast<double>(image.size.height) / 100;
      const double x = value->at("x").number(), y = value->at("y").number();
      image.objects.push_back(boxObject(label, x * width, y * height,
                                        (x + value->at("width").number()) * width,
                                        (y + value->at("height").number()) * height));
      return;
    }
    image.objects.push_back({label, segmentationIn(result, *value, shape, image.size)});
  }

  static coco::Segmentation segmentationIn(const JsonNode& result, const JsonNode& value,
                                           const std::string& shape, base::ImageSize size) {
    const double width = static_cast<double>(size.width) / 100,
                 height = static_cast<double>(size.height) / 100;
    const auto number = [&](const char* key) { return value.at(key).number(); };
    const auto angleNode = value.find("rotation");
    const double angle = angleNode ? angleNode->number() : 0;
    if (shape == "brush") {
      const auto h = result.find("original_height"), w = result.find("original_width");
      if (h && w && (h->integer() != size.height || w->integer() != size.width))
        result.fail("original_width and original_height are not the image's");
      return brushMask(value.at("rle"), size);
    }
    if (shape == "rectangle")
      return onePolygon(turnedRectangle(number("x") * width, number("y") * height,
                                        number("width") * width, number("height") * height, angle));
    if (shape == "ellipse")
      return onePolygon(ellipseOutline(number("x") * width, number("y") * height,
                                       number("radiusX") * width, number("radiusY") * height,
                                       angle));
    std::vector<double> xy = pointsIn(value.at("points"));
    if (const std::string problem = polygonProblem(xy); !problem.empty()) value.fail(problem);
    for (std::size_t i = 0; i < xy.size(); ++i) xy[i] *= i % 2 == 0 ? width : height;
    return onePolygon(xy);
  }

  const Reading& reading_;
  ImageIndex index_;
  NamedImages images_{reading_};
  Source source_;
};

}  // namespace

Source readLabelStudio(const Reading& reading) { return LabelStudioReader(reading).read(); }

}  // namespace lockstep::formats
