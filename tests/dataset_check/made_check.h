#pragma once

#include <QTemporaryDir>
#include <atomic>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/dataset_check/check_dataset.h"
#include "engine/dataset_check/clean_dataset.h"

namespace lockstep::tests {

/// Pictures without files: each name has one of its own, unless it is told otherwise. Turned ones
/// are so as long as their annotated size is that displayed, which is wider than high.
class MadePictures : public dataset_check::PictureReader {
 public:
  dataset_check::Picture read(const std::filesystem::path& file,
                              base::ImageSize annotated) const override;
  std::vector<std::uint8_t> readBlocks(const std::filesystem::path& file, base::ImageSize size,
                                       base::ImageSize scaled) const override;

  mutable std::atomic<int> reads = 0;                         ///< of either kind
  std::map<std::string, dataset_check::PictureState> states;  ///< by name
  std::map<std::string, int> orientations;
  std::map<std::string, std::string> copyOf;  ///< a name with the same pixels
  std::map<std::string, dataset_check::Thumbnail> thumbnails;
  std::map<std::string, std::size_t> smallObjects;  ///< in which block thumbnails do not show one

 private:
  dataset_check::Thumbnail thumbnailOf(std::string name) const;
};

/// As if the picture was turned.
dataset_check::Thumbnail transposed(const dataset_check::Thumbnail& thumbnail);

/// A picture of random cells, which differ between seeds.
dataset_check::Thumbnail madeThumbnail(unsigned seed);

/// What a finding says, for comparison.
struct Found {
  std::string kind;
  std::optional<std::int64_t> imageId, annotationId;
  bool operator==(const Found&) const = default;
};

/// A dataset of both parts in memory, whose files are written when it is checked. Each part has
/// images 1 … 4 of 40 x 30 px, `train-1.png` …, with a square each of class 1, ids 1 … 4.
class MadeCheck {
 public:
  MadeCheck();

  nlohmann::ordered_json& part(dataset_check::Part part) {
    return parts_[static_cast<std::size_t>(part)];
  }
  /// Adds an annotation of image 1 of the training part, a square away from the others, with these
  /// members changed. Returns it.
  nlohmann::ordered_json& add(const nlohmann::ordered_json& changes = {});

  dataset_check::DatasetCheck check();
  /// Checks, cleans, and checks what was cleaned.
  dataset_check::DatasetCheck checkCleaned();
  /// Checks what was cleaned.
  dataset_check::DatasetCheck checkCleaned(const dataset_check::CleanedDataset& made);
  std::filesystem::path fileOf(dataset_check::Part part) const;
  std::filesystem::path cleanFolder() const { return path("clean"); }
  nlohmann::ordered_json cleaned(dataset_check::Part part) const;

  MadePictures pictures;
  config::Experiment experiment;

 private:
  std::filesystem::path path(const std::string& name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }

  QTemporaryDir folder_;
  std::array<nlohmann::ordered_json, 2> parts_;
};

/// JSON whose members keep the order of the text.
inline nlohmann::ordered_json orderedJson(const char* text) {
  return nlohmann::ordered_json::parse(text);
}
/// The entry with this id; null if there is none.
nlohmann::ordered_json entryOf(const nlohmann::ordered_json& table, std::int64_t id);
/// Its faults.
std::vector<Found> faultsOf(const dataset_check::DatasetCheck& check);
/// For failure messages.
QString textOf(const std::vector<Found>& found);

}  // namespace lockstep::tests
