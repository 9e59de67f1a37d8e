#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "engine/base/ids.h"
#include "engine/coco/masks/rle.h"

namespace lockstep::coco {

struct Category {
  CategoryId id;
  std::string name;
  bool operator==(const Category&) const = default;
};

struct Image {
  ImageId id;
  std::string fileName;  ///< relative to the images folder
  int width = 0, height = 0;
  bool operator==(const Image&) const = default;
};

/// Polygons (each x0 y0 x1 y1 …, px), or runs.
using Segmentation = std::variant<std::vector<std::vector<double>>, Rle>;

struct Annotation {
  std::int64_t id = 0;
  ImageId imageId;
  CategoryId categoryId;
  std::array<double, 4> boxXywh{};  ///< px
  double area = 0;                  ///< as the file gives it, else of the mask
  bool isCrowd = false;
  Segmentation segmentation;

  /// Counts for training and held-out loss: no crowd, width and height over 1 px.
  bool isUsable() const { return !isCrowd && boxXywh[2] > 1 && boxXywh[3] > 1; }
};

/// Annotations that got a new id when they were read.
struct NewIds {
  std::size_t missing = 0;   ///< those had none
  std::size_t repeated = 0;  ///< those had the id of one before them

  /// "12 annotations without an id and 1 with the id of another got new ids"; "" where none did.
  std::string text() const;
};

struct DatasetParts;
class FaultList;

/// A COCO instances file. Images and categories are sorted by id, annotations keep the file's order
/// within their image.
class Dataset {
 public:
  /// Throws Error with file and what is wrong: broken JSON (with the position), an annotation
  /// without its image, a category the file does not name, a polygon with fewer than three points,
  /// runs that do not sum to the size, one id of two images or categories. Of many faults the first
  /// few and the count. A missing area or box is taken from the mask, a missing iscrowd is 0, a
  /// crowd without a segmentation is its box. Annotations without an id, or with that of one before
  /// them, get ids that nothing else has (newIds()).
  static Dataset load(const std::filesystem::path& file);
  /// The same from parts (tests, made scenes), with the same checks; an area of 0 and a box of
  /// zeros are taken from the mask. `name` stands for the file in messages.
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
  /// Row in the model's heads: 1 + position in categories(). Throws Error when there is no such
  /// category.
  ClassIndex classOf(CategoryId id) const;
  CategoryId categoryOf(ClassIndex index) const { return categories_[index.value - 1].id; }
  /// Images with at least one usable annotation.
  std::size_t usableImageCount() const;

 private:
  static Dataset assemble(DatasetParts parts, FaultList& faults);

  std::vector<Image> images_;
  std::vector<Category> categories_;
  std::vector<std::vector<Annotation>> annotations_;
  std::unordered_map<ImageId, std::size_t> imageIndexById_;
  std::unordered_map<CategoryId, ClassIndex> classById_;
  NewIds newIds_;
};

/// The mask of an annotation at its image's size.
Rle annotationMask(const Annotation& annotation, const Image& image);

/// Writes a COCO instances file atomically (made scenes, repaired sets); runs as lists of counts,
/// which every reader takes.
void saveDataset(const Dataset& dataset, const std::filesystem::path& file);

}  // namespace lockstep::coco
