#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/image_size.h"
#include "engine/coco/files/dataset.h"

/// What every annotation format is read into, before it becomes a COCO dataset.
namespace lockstep::formats {

namespace fs = std::filesystem;

struct SourceObject {
  std::string category;
  /// Empty polygons: the object has only a box.
  coco::Segmentation segmentation{};
  std::array<double, 4> boxXywh{};  ///< px; used if there is no segmentation
  bool isCrowd = false;

  bool hasMask() const {
    const auto* polygons = std::get_if<0>(&segmentation);
    return polygons == nullptr || !polygons->empty();
  }
};

enum class Part { Train, Val, Test };

struct SourceImage {
  fs::path file;
  base::ImageSize size{};
  std::optional<Part> part{};  ///< where the source says so
  std::vector<SourceObject> objects{};
  /// Of LVIS, by name.
  std::vector<std::string> negativeCategories{}, notExhaustiveCategories{};
};

/// What is wrong with a source. The entry it is about is left out.
struct Fault {
  std::string where;  ///< `labels/3.txt:4`, `a.json: shapes[2]`
  std::string what;
  std::string text() const { return where + ": " + what; }
};

/// Of a category that gets an id when all are known.
inline constexpr CategoryId kNewCategory{std::numeric_limits<std::int64_t>::min()};

/// An annotated dataset in memory.
struct Source {
  /// In the source's order, which gives their ids. Others are added in the order of their names.
  std::vector<coco::Category> categories{};
  std::vector<SourceImage> images{};
  std::vector<Fault> faults{};
  /// What could not be carried over, with the number of times: `points and lines, which have no
  /// area`.
  std::map<std::string, std::int64_t> losses{};

  void addFault(std::string where, std::string what) {
    faults.push_back({std::move(where), std::move(what)});
  }
};

/// An image whose pixels are ids of objects; 0: background.
struct LabelImage {
  int width = 0, height = 0;  ///< px
  std::vector<std::uint32_t>
      ids;  ///< [height, width]; of a colour image red, green, blue as 24 bits
  bool isColour = false;
};

/// Reads and writes pixels, which this folder cannot. Errors of a file are Errors that name it.
class ImageCodec {
 public:
  virtual ~ImageCodec() = default;
  /// As displayed: after its EXIF orientation. Cheap for JPEG and PNG.
  virtual base::ImageSize sizeOf(const fs::path& image) const = 0;
  virtual LabelImage labelsOf(const fs::path& image) const = 0;
  /// Of an image file in memory. `name`: for messages.
  virtual LabelImage decodeLabels(const std::string& bytes, const std::string& name) const = 0;
  /// A PNG of 8 or 16 bits. Throws Error for larger ids.
  virtual std::string encodeLabels(const LabelImage& labels) const = 0;
};

}  // namespace lockstep::formats
