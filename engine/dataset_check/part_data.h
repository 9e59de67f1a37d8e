#pragma once

#include <filesystem>
#include <string>

#include "engine/coco/files/lenient_dataset.h"
#include "engine/dataset_check/finding.h"

namespace lockstep::dataset_check {

/// One part of a dataset, read.
struct PartData {
  Part part = Part::Train;
  std::string annotations{};  ///< file
  std::filesystem::path images{};
  coco::LenientDataset content{};

  /// `dataset.train`
  std::string key() const { return std::string("dataset.") + base::textOf(part); }
  const coco::Dataset& dataset() const { return content.dataset; }
  const coco::Image& image(std::size_t index) const { return dataset().images()[index]; }
  std::string fileOf(std::size_t index) const { return (images / image(index).fileName).string(); }

  /// A finding about the file.
  Finding finding(FindingKind kind, std::string text) const {
    return {.kind = kind, .part = part, .file = annotations, .text = std::move(text)};
  }
  /// About an image's entry.
  Finding findingOf(FindingKind kind, std::size_t index, std::string text) const {
    Finding found = finding(kind, std::move(text));
    found.imageId = image(index).id.value;
    found.byte = content.imageBytes[index];
    found.entry = {part, found.byte};
    return found;
  }
  /// About an image's pixels.
  Finding findingOfPixels(FindingKind kind, std::size_t index, std::string text) const {
    Finding found = findingOf(kind, index, std::move(text));
    found.file = fileOf(index);
    found.byte = 0;
    return found;
  }
  /// About annotation `place` of an image.
  Finding findingOf(FindingKind kind, std::size_t index, std::size_t place,
                    std::string text) const {
    Finding found = finding(kind, std::move(text));
    const coco::AnnotationOrigin& origin = content.origins[index][place];
    found.imageId = image(index).id.value;
    found.annotationId = origin.id;
    found.byte = origin.byte;
    found.entry = {part, origin.byte};
    return found;
  }
};

}  // namespace lockstep::dataset_check
