// Label Studio's JSON export: a list of tasks. Coordinates are percent of the image's sides.
#include <array>
#include <cstdio>

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

/// The file's name in the address of a task's image, with and without the prefix of an upload,
/// `1a2b3c4d-`.
std::vector<std::string> fileNamesIn(std::string address) {
  if (const std::size_t query = address.find("?d="); query != std::string::npos) {
    address = address.substr(query + 3);  // local files
  } else {
    address = address.substr(0, address.find('?'));
  }
  std::string name;
  for (std::size_t i = address.rfind('/') + 1; i < address.size(); ++i) {
    int code = 0;
    if (address[i] == '%' && i + 2 < address.size() &&
        std::sscanf(address.c_str() + i + 1, "%2x", reinterpret_cast<unsigned*>(&code)) == 1) {
      name += static_cast<char>(code);
      i += 2;
    } else {
      name += address[i];
    }
  }
  const std::size_t dash = name.find('-');
  return dash == 8 ? std::vector<std::string>{name, name.substr(dash + 1)}
                   : std::vector<std::string>{name};
}

class LabelStudioReader {
 public:
  explicit LabelStudioReader(const Reading& reading)
      : reading_(reading), index_(reading.folder()) {}

  Source read() {
    reading_.forEachFile(filesBelow(reading_.path, {".json"}), source_, [&](const fs::path& file) {
      const JsonDocument document(file);
      const JsonNode root = document.root();
      if (!root.isArray()) return;
      root.forEach([&](const JsonNode& task) {
        if (!task.find("data")) return;
        const auto id = task.find("id");
        guarded(source_,
                reading_.shown(file) + (id ? ": task " + std::to_string(id->integer()) : ""),
                [&] { readTask(file, task); });
      });
    });
    addImagesWithoutObjects(reading_, index_.all(), "is of no task", source_);
    return std::move(source_);
  }

 private:
  fs::path imageOf(const JsonNode& task) const {
    std::string address;
    task.at("data").forEachMember([&](std::string_view key, const JsonNode& value) {
      if (value.isString() && (address.empty() || key == "image")) address = value.string();
    });
    if (address.empty()) task.fail("data has no address of an image");
    const std::vector<std::string> names = fileNamesIn(address);
    for (const std::string& name : names)
      if (!index_.find(name).empty()) return index_.only(name);
    throw Error("its image " + names.back() + " is missing");
  }

  void readTask(const fs::path& file, const JsonNode& task) {
    SourceImage image = images_.add(imageOf(task), file);
    if (const auto annotations = task.find("annotations")) {
      bool isRead = false;
      annotations->forEach([&](const JsonNode& annotation) {
        const auto cancelled = annotation.find("was_cancelled");
        if (isRead || (cancelled && cancelled->isTrue())) return;
        isRead = true;  // the first annotator's
        annotation.at("result").forEach([&](const JsonNode& result) {
          guarded(source_, reading_.shown(file), [&] { readResult(result, image); });
        });
      });
    }
    source_.images.push_back(std::move(image));
  }

  void readResult(const JsonNode& result, SourceImage& image) {
    const auto typeNode = result.find("type");
    const std::string type = typeNode ? typeNode->string() : "";
    if (!type.ends_with("labels") || type == "labels") {
      if (type == "polygon" || type == "rectangle" || type == "brush" || type == "ellipse")
        return;  // its labels are another result
      if (!type.empty()) ++source_.losses["results of type " + type];
      return;
    }
    if (type == "keypointlabels") {
      ++source_.losses[kNoArea];
      return;
    }
    const JsonNode value = result.at("value");
    const auto labels = value.find(type);
    if (!labels || labels->size() == 0) value.fail("has no " + type);
    SourceObject object;
    object.category = (*labels)[0].string();
    const auto angle = value.find("rotation");
    if (type == "rectanglelabels" && (!angle || angle->number() == 0)) {
      const double width = static_cast<double>(image.size.width) / 100,
                   height = static_cast<double>(image.size.height) / 100;
      const double x = value.at("x").number(), y = value.at("y").number();
      image.objects.push_back(boxObject(object.category, x * width, y * height,
                                        (x + value.at("width").number()) * width,
                                        (y + value.at("height").number()) * height));
      return;
    }
    object.segmentation = segmentationIn(result, value, type, image.size);
    image.objects.push_back(std::move(object));
  }

  static coco::Segmentation segmentationIn(const JsonNode& result, const JsonNode& value,
                                           const std::string& type, base::ImageSize size) {
    const double width = static_cast<double>(size.width) / 100,
                 height = static_cast<double>(size.height) / 100;
    const auto number = [&](const char* key) { return value.at(key).number(); };
    const auto angleNode = value.find("rotation");
    const double angle = angleNode ? angleNode->number() : 0;
    if (type == "brushlabels") {
      const auto h = result.find("original_height"), w = result.find("original_width");
      if (h && w && (h->integer() != size.height || w->integer() != size.width))
        result.fail("original_width and original_height are not the image's");
      return brushMask(value.at("rle"), size);
    }
    if (type == "rectanglelabels")
      return onePolygon(turnedRectangle(number("x") * width, number("y") * height,
                                        number("width") * width, number("height") * height, angle));
    if (type == "ellipselabels")
      return onePolygon(ellipseOutline(number("x") * width, number("y") * height,
                                       number("radiusX") * width, number("radiusY") * height,
                                       angle));
    if (type != "polygonlabels") result.fail("type \"" + type + "\" is unknown");
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
