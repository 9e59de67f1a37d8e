#include "engine/coco/files/results_file.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/base/error.h"
#include "engine/coco/files/error_list.h"
#include "engine/coco/files/result_entries.h"

namespace lockstep::coco {
namespace {

/// The index of the image of each entry; nullopt for a result that is left out.
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
std::string maskSizeError(const Detection& detection, const Image& image) {
  if (fitsImage(detection, image)) return {};
  const auto size = [](int height, int width) {
    return std::to_string(height) + " x " + std::to_string(width);
  };
  return "mask is " + size(detection.mask.height, detection.mask.width) +
         " px (height x width) but image " + std::to_string(image.id.value) + " is " +
         size(image.height, image.width);
}

}  // namespace

struct ParsedResults::Content {
  JsonFile file;
  std::vector<ResultEntry> entries;
};

ParsedResults::ParsedResults(std::unique_ptr<Content> content) : content_(std::move(content)) {}
ParsedResults::ParsedResults(ParsedResults&&) noexcept = default;
ParsedResults::~ParsedResults() = default;

ParsedResults ParsedResults::load(const std::filesystem::path& path) {
  JsonFile text = JsonFile::load(path, "results file");
  auto entries = readResults(text);
  return ParsedResults(std::make_unique<Content>(std::move(text), std::move(entries)));
}

ResultsFile::ResultsFile(ResultsFile&&) noexcept = default;
ResultsFile::~ResultsFile() = default;

ResultsFile::ResultsFile(ParsedResults parsed, const Dataset& groundTruth,
                         const CategorySelection& selection)
    : groundTruth_(&groundTruth), content_(std::move(parsed.content_)) {
  const std::vector<ResultEntry>& entries = content_->entries;
  ImageIndices images = findImages(content_->file, entries, groundTruth);
  unknownCategoryCount_ = static_cast<std::size_t>(
      std::ranges::count_if(images, [](const auto& image) { return !image; }));
  if (!selection.categories.empty()) {
    for (std::size_t i = 0; i < images.size(); ++i)
      if (!selection.contains(entries[i].categoryId)) images[i].reset();
  }
  begin_.assign(groundTruth.images().size() + 1, 0);
  for (const auto& image : images) {
    if (image) ++begin_[*image + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  indices_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (images[i]) indices_[next[*images[i]]++] = static_cast<std::uint32_t>(i);
  }
  if (selection.isClassAgnostic) makeClassAgnostic();
}

void ResultsFile::makeClassAgnostic() {
  std::vector<ResultEntry>& entries = content_->entries;
  for (std::size_t i = 0; i + 1 < begin_.size(); ++i) {
    std::ranges::stable_sort(std::span(indices_).subspan(begin_[i], begin_[i + 1] - begin_[i]), {},
                             [&](std::uint32_t index) { return entries[index].categoryId; });
  }
  for (ResultEntry& entry : entries) entry.categoryId = kAnyCategory;
}

std::size_t ResultsFile::count() const { return content_->entries.size(); }

std::span<const std::uint32_t> ResultsFile::indicesOf(std::size_t imageIndex) const {
  return std::span(indices_).subspan(begin_[imageIndex],
                                     begin_[imageIndex + 1] - begin_[imageIndex]);
}

std::vector<Detection> ResultsFile::detectionsOf(std::size_t imageIndex) const {
  const std::vector<ResultEntry>& entries = content_->entries;
  EntryDecoder decoder(content_->file, entries.empty() ? nullptr : entries.data());
  std::vector<Detection> detections;
  detections.reserve(indicesOf(imageIndex).size());
  for (const std::uint32_t place : indicesOf(imageIndex)) {
    detections.push_back(decoder.decode(entries[place], place));
    const std::string error = maskSizeError(detections.back(), groundTruth_->images()[imageIndex]);
    if (!error.empty()) throw Error(content_->file.name() + ": " + entryName(place) + ": " + error);
  }
  return detections;
}

void ResultsFile::forScores(std::size_t imageIndex,
                            const std::function<void(CategoryId, double)>& visit) const {
  for (const std::uint32_t place : indicesOf(imageIndex))
    visit(content_->entries[place].categoryId, content_->entries[place].score);
}

}  // namespace lockstep::coco
