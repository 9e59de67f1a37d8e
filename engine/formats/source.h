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
#include "engine/base/shortened_text.h"
#include "engine/coco/files/dataset.h"
#include "engine/coco/masks/orientation.h"

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

/// Facts from the header of an image file.
struct ImageFacts {
  base::ImageSize stored{};  ///< 0 x 0: not read yet
  int exifOrientation = 1;   ///< 1 … 8; 1: displayed as stored

  base::ImageSize displayed() const {
    return coco::swapsSides(exifOrientation) ? base::ImageSize{stored.width, stored.height}
                                             : stored;
  }
};

struct SourceImage {
  fs::path file;
  fs::path extracted{};        ///< copy of a picture embedded in an annotation file, else empty
  base::ImageSize size{};      ///< of the picture that the objects are on: see exif_rule.h
  bool hasOwnSize = false;     ///< from the source, not from the file
  ImageFacts facts{};          ///< of the file
  std::optional<Part> part{};  ///< where the source says so
  std::vector<SourceObject> objects{};
  /// `has no label file`. Empty: an image without objects is annotated as such.
  std::string unlabelledReason{};
  /// Of LVIS, by name.
  std::vector<std::string> negativeCategories{}, notExhaustiveCategories{};

  const fs::path& picture() const { return extracted.empty() ? file : extracted; }
  bool isUnlabelled() const { return objects.empty() && !unlabelledReason.empty(); }
  void markLostObject() { unlabelledReason = "has no usable object"; }
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
  std::int64_t unlabelledImages = 0;  ///< named in the faults

  /// Texts of files may be of any length.
  void addFault(const std::string& where, const std::string& what) {
    constexpr std::size_t kMaxBytes = 1000;
    faults.push_back({base::shortened(where, kMaxBytes), base::shortened(what, kMaxBytes)});
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
  /// Cheap for JPEG and PNG.
  virtual ImageFacts factsOf(const fs::path& image) const = 0;
  /// Throws Error before it decodes a file that says it has more pixels.
  virtual LabelImage labelsOf(const fs::path& image, std::int64_t maxPixels) const = 0;
  /// Of an image file in memory. `name`: for messages.
  virtual LabelImage decodeLabels(const std::string& bytes, const std::string& name,
                                  std::int64_t maxPixels) const = 0;
  /// A PNG of 8 or 16 bits. Throws Error for larger ids.
  virtual std::string encodeLabels(const LabelImage& labels) const = 0;
};

}  // namespace lockstep::formats
