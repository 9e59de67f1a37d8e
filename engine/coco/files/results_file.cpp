#include "engine/coco/files/results_file.h"

#include <numeric>
#include <optional>

#include "engine/base/error.h"
#include "engine/coco/files/error_list.h"
#include "engine/coco/files/result_entries.h"

namespace lockstep::coco {
namespace {

/// The index of the image of each entry; nullopt for a result with an unknown category.
using ImageIndices = std::vector<std::optional<std::uint32_t>>;

std::string entryName(std::size_t index) { return "result " + std::to_string(index + 1); }

ImageIndices findImages(const JsonFile& file, const std::vector<ResultEntry>& entries,
                        const Dataset& groundTruth) {
  ErrorList errors(file.name());
  ImageIndices indices(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto image = groundTruth.findImage(entries[i].imageId);
    if (!image) {
      errors.add(entryName(i), "the dataset has no image " +
                                   std::to_string(entries[i].imageId.value) +
                                   "; are these results of another dataset?");
    } else if (groundTruth.hasCategory(entries[i].categoryId)) {
      indices[i] = static_cast<std::uint32_t>(*image);
    }
  }
  errors.throwIfAny();
  return indices;
}

/// What is wrong with the size of a mask; empty if valid or without a mask.
std::string maskSizeError(const Rle& mask, const Image& image) {
  if (mask.height == 0 || (mask.height == image.height && mask.width == image.width)) return {};
  const auto size = [](int height, int width) {
    return std::to_string(height) + " x " + std::to_string(width);
  };
  return "mask is " + size(mask.height, mask.width) + " px (height x width) but image " +
         std::to_string(image.id.value) + " is " + size(image.height, image.width);
}

}  // namespace

struct ResultsFile::Content {
  JsonFile file;
  std::vector<ResultEntry> entries;
};

ResultsFile::ResultsFile(const Dataset& groundTruth, std::unique_ptr<Content> content)
    : groundTruth_(&groundTruth), content_(std::move(content)) {}
ResultsFile::ResultsFile(ResultsFile&&) noexcept = default;
ResultsFile::~ResultsFile() = default;

ResultsFile ResultsFile::load(const std::filesystem::path& path, const Dataset& groundTruth) {
  JsonFile text = JsonFile::load(path, "results file");
  auto entries = readResults(text);
  const ImageIndices images = findImages(text, entries, groundTruth);
  ResultsFile file(groundTruth, std::make_unique<Content>(std::move(text), std::move(entries)));
  file.begin_.assign(groundTruth.images().size() + 1, 0);
  for (const auto& image : images) {
    if (image) ++file.begin_[*image + 1];
    file.unknownCategoryCount_ += !image;
  }
  std::partial_sum(file.begin_.begin(), file.begin_.end(), file.begin_.begin());
  file.indices_.resize(file.begin_.back());
  std::vector<std::size_t> next(file.begin_.begin(), file.begin_.end() - 1);
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (images[i]) file.indices_[next[*images[i]]++] = static_cast<std::uint32_t>(i);
  }
  return file;
}

std::size_t ResultsFile::count() const { return content_->entries.size(); }

std::span<const std::uint32_t> ResultsFile::indicesOf(std::size_t imageIndex) const {
  return std::span(indices_).subspan(begin_[imageIndex],
                                     begin_[imageIndex + 1] - begin_[imageIndex]);
}

std::vector<Detection> ResultsFile::detectionsOf(std::size_t imageIndex) const {
  EntryDecoder decoder(content_->file, content_->entries);
  std::vector<Detection> detections;
  for (const std::uint32_t place : indicesOf(imageIndex)) {
    detections.push_back(decoder.decode(place));
    const std::string error =
        maskSizeError(detections.back().mask, groundTruth_->images()[imageIndex]);
    if (!error.empty()) throw Error(content_->file.name() + ": " + entryName(place) + ": " + error);
  }
  return detections;
}

}  // namespace lockstep::coco
