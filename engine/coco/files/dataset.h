#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "engine/base/ids.h"
#include "engine/coco/masks/rle.h"

namespace lockstep::coco {

/// How many training images of LVIS have a category: 10 at most, 100 at most, more.
enum class CategoryFrequency : std::uint8_t { Unknown, Rare, Common, Frequent };

struct Category {
  CategoryId id;
  std::string name;
  CategoryFrequency frequency = CategoryFrequency::Unknown;  ///< of LVIS files
  bool operator==(const Category&) const = default;
};

struct Image {
  ImageId id;
  std::string fileName;  ///< relative to the images folder
  int width = 0, height = 0;
  /// Of LVIS files: categories that are known not to be in the image, and those of which not every
  /// object is annotated. Of the others nothing is known unless they have annotations.
  std::vector<CategoryId> negativeCategories{}, notExhaustiveCategories{};
  bool operator==(const Image&) const = default;
};

/// Polygons (each x0 y0 x1 y1 …, px) or RLE.
using Segmentation = std::variant<std::vector<std::vector<double>>, Rle>;

/// Points that a polygon needs to enclose anything.
inline constexpr std::size_t kMinPolygonPoints = 3;

struct Annotation {
  std::int64_t id = 0;
  ImageId imageId;
  CategoryId categoryId;
  std::array<double, 4> boxXywh{};  ///< px
  double area = 0;                  ///< from the file, else of the mask
  bool isCrowd = false;
  Segmentation segmentation;
  /// False: the file has only its box, which `segmentation` is the outline of. Metrics of masks
  /// ignore it, as they do a crowd.
  bool hasMask = true;

  /// Used in training and in the held-out loss: not a crowd, width and height over 1 px.
  bool isUsable() const { return !isCrowd && boxXywh[2] > 1 && boxXywh[3] > 1; }
};

/// Number of annotations that got a new id on loading.
struct NewIds {
  std::size_t missing = 0;   ///< had no id
  std::size_t others = 0;    ///< had an id that is not an integer, such as a UUID
  std::size_t repeated = 0;  ///< had a duplicate id

  /// "12 annotations without an id and 1 annotation with a duplicate id got new ids"; "" if none
  /// did.
  std::string text() const;
};

struct DatasetParts;
struct LenientDataset;

/// Limit of a dataset: a head with more classes fits no GPU.
inline constexpr std::size_t kMaxCategories = 100'000;
/// `has 1000000 categories; …`
std::string tooManyCategories(std::size_t count);

/// A COCO instances file. Images and categories are sorted by id, annotations keep the file's order
/// within their image.
class Dataset {
 public:
  /// Throws Error with the file and what is wrong: invalid JSON (with its position), an annotation
  /// whose image or category is missing, a polygon with fewer than three points, RLE counts that do
  /// not sum to height x width, neither a box nor a segmentation, duplicate image or category ids.
  /// Of many errors it lists the first few and the count. A missing area or bbox is computed from
  /// the mask, a missing iscrowd is 0, and a crowd without a segmentation gets its box as mask
  /// (other annotations: hasMask). Annotations without an id, or with a duplicate one or a text,
  /// get unused ids (newIds()).
  static Dataset load(const std::filesystem::path& file);
  /// The same without masks, in a fraction of the time and memory: segmentations are neither read
  /// nor checked, unless annotations lack a box or an area, which are computed from them.
  static Dataset loadBoxes(const std::filesystem::path& file);
  /// The same from values in memory (tests, synthetic scenes), with the same checks; an area of 0
  /// and a box of zeros are computed from the mask. Messages use `name` instead of a file name.
  static Dataset fromParts(std::vector<Image> images, std::vector<Category> categories,
                           std::vector<Annotation> annotations, const std::string& name);

  const std::vector<Image>& images() const { return images_; }
  const std::vector<Category>& categories() const { return categories_; }
  /// Annotations of images()[index].
  const std::vector<Annotation>& annotationsOf(std::size_t imageIndex) const {
    return annotations_[imageIndex];
  }
  std::size_t annotationCount() const;
  const NewIds& newIds() const { return newIds_; }
  /// Index into images(); throws Error when there is no such image.
  std::size_t imageIndex(ImageId id) const;
  std::optional<std::size_t> findImage(ImageId id) const;
  bool hasCategory(CategoryId id) const { return classById_.contains(id); }
  /// Class index of the model's heads: 1 + index in categories(). Throws Error when there is no
  /// such category.
  ClassIndex classOf(CategoryId id) const;
  CategoryId categoryOf(ClassIndex index) const { return categories_[index.value - 1].id; }
  /// Images with at least one usable annotation.
  std::size_t usableImageCount() const;
  /// There are objects (no crowds), and none has a mask.
  bool hasOnlyBoxes() const;
  /// Leaves the other images out, with their annotations.
  void keepImages(const std::function<bool(std::size_t index, const Image& image)>& isKept);
  /// For evaluations of boxes alone: masks are most of a dataset's memory.
  void forgetMasks();
  /// Other categories, and annotations that have them: `change` is called with those of each image.
  void replaceCategories(std::vector<Category> categories,
                         const std::function<void(std::vector<Annotation>&)>& change);

 private:
  friend LenientDataset loadLeniently(const std::filesystem::path& file,
                                      const std::function<bool(double)>& watch);
  static Dataset assemble(DatasetParts parts);
  void setCategories(std::vector<Category> categories);
  void indexImages();

  std::vector<Image> images_;
  std::vector<Category> categories_;
  std::vector<std::vector<Annotation>> annotations_;
  std::unordered_map<ImageId, std::size_t> imageIndexById_;
  std::unordered_map<CategoryId, ClassIndex> classById_;
  NewIds newIds_;
};

/// The mask of an annotation at its image's size.
Rle annotationMask(const Annotation& annotation, const Image& image);

/// Writes a COCO instances file atomically (synthetic scenes, repaired datasets), with
/// uncompressed RLE, which every reader supports.
void saveDataset(const Dataset& dataset, const std::filesystem::path& file);

}  // namespace lockstep::coco
