#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/dataset_check/part_facts.h"

namespace lockstep::dataset_check {

/// A part with what it consists of, to be shown.
struct CountedPart {
  PartData data{};
  PartFacts facts{};
  config::AugmentConfig augment{};  ///< by which sizes are counted
  config::AnchorConfig anchors{};
  /// Number of images in which both classes have objects, by their places in facts.classes; of a
  /// class with itself: in which it has any.
  std::vector<std::vector<std::int64_t>> classPairs{};
};

/// Reads the annotations and counts; not the images. Blocks. Throws coco::ReadingStopped,
/// coco::InvalidDataset if the file is no COCO JSON, and other errors if the experiment has no such
/// part or the file cannot be read.
CountedPart countPart(const config::Experiment& experiment, Part part,
                      const coco::ReadingWatch& watch = {});

/// What one bar of a picture of the facts counts.
struct FactBar {
  enum class Of : std::uint8_t {
    Class,            ///< `index`: of facts.classes
    Side,             ///< of facts.sides
    AspectRatio,      ///< of facts.aspectRatios
    ObjectsPerImage,  ///< of facts.objectsPerImage
    ClassPair         ///< `index` and `other`: of classPairs
  };
  Of of = Of::Class;
  std::size_t index = 0, other = 0;
  bool operator==(const FactBar&) const = default;
};

/// An image that a bar counts, or whose objects it counts.
struct CountedImage {
  std::size_t image = 0;               ///< index
  std::vector<std::size_t> objects{};  ///< that are counted: of annotationsOf(image)
};

/// In the order of the file.
std::vector<CountedImage> imagesOf(const CountedPart& part, const FactBar& bar);

}  // namespace lockstep::dataset_check
