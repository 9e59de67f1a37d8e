#include "tests/dataset_check/made_check.h"

#include <random>

#include "engine/base/atomic_file.h"

namespace lockstep::tests {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

dataset_check::Thumbnail madeThumbnail(unsigned seed) {
  constexpr std::size_t kSide = dataset_check::kThumbnailSide, kCell = 8;
  std::mt19937 random(seed);
  std::array<std::uint8_t, kSide / kCell*(kSide / kCell)> cells{};
  for (std::uint8_t& cell : cells) cell = static_cast<std::uint8_t>(random() % 256);
  dataset_check::Thumbnail thumbnail;
  for (std::size_t i = 0; i < thumbnail.size(); ++i)
    thumbnail[i] = cells[i / kSide / kCell * (kSide / kCell) + i % kSide / kCell];
  return thumbnail;
}

dataset_check::Picture MadePictures::read(const fs::path& file, base::ImageSize annotated) const {
  ++reads;
  const std::string name = file.filename().string();
  dataset_check::Picture picture;
  if (const auto state = states.find(name); state != states.end()) picture.state = state->second;
  if (const auto turned = orientations.find(name); turned != orientations.end())
    picture.exifOrientation = turned->second;
  const bool isAsStored = annotated.height > annotated.width;
  if (picture.state == dataset_check::PictureState::Turned && isAsStored) {
    picture.state = dataset_check::PictureState::Usable;
    picture.exifOrientation = 1;
  }
  picture.stored = annotated;
  const dataset_check::Thumbnail thumbnail = thumbnailOf(name);
  picture.thumbnail =
      std::make_unique<dataset_check::Thumbnail>(isAsStored ? transposed(thumbnail) : thumbnail);
  if (picture.state == dataset_check::PictureState::Turned) {
    picture.stored = {.height = annotated.width, .width = annotated.height};
    picture.storedThumbnail = std::make_unique<dataset_check::Thumbnail>(transposed(thumbnail));
  }
  if (picture.state != dataset_check::PictureState::Usable) picture.problem = "is bad";
  return picture;
}

dataset_check::Thumbnail MadePictures::thumbnailOf(std::string name) const {
  if (const auto copy = copyOf.find(name); copy != copyOf.end()) name = copy->second;
  if (const auto given = thumbnails.find(name); given != thumbnails.end()) return given->second;
  return madeThumbnail(static_cast<unsigned>(std::hash<std::string>()(name)));
}

std::vector<std::uint8_t> MadePictures::readBlocks(const fs::path& file, base::ImageSize size,
                                                   base::ImageSize scaled) const {
  ++reads;
  const std::string name = file.filename().string();
  const dataset_check::Thumbnail displayed = thumbnailOf(name);
  const dataset_check::Thumbnail thumbnail =
      size.height > size.width ? transposed(displayed) : displayed;
  std::vector<std::uint8_t> blocks = dataset_check::blockMeansOf(
      dataset_check::GreyPixels<std::uint8_t>{thumbnail.data(), dataset_check::kThumbnailSide,
                                              dataset_check::kThumbnailSide,
                                              dataset_check::kThumbnailSide},
      scaled);
  if (const auto object = smallObjects.find(name); object != smallObjects.end())
    blocks[object->second] ^= 64;
  return blocks;
}

dataset_check::Thumbnail transposed(const dataset_check::Thumbnail& thumbnail) {
  dataset_check::Thumbnail turned;
  for (std::size_t y = 0; y < dataset_check::kThumbnailSide; ++y)
    for (std::size_t x = 0; x < dataset_check::kThumbnailSide; ++x)
      turned[x * dataset_check::kThumbnailSide + y] =
          thumbnail[y * dataset_check::kThumbnailSide + x];
  return turned;
}

MadeCheck::MadeCheck() {
  for (const char* name : {"train", "val"}) {
    ordered_json& made = parts_[name == std::string("val")];
    made = {{"info", {{"year", 2026}}}, {"images", ordered_json::array()}};
    made["annotations"] = ordered_json::array();
    made["categories"] = {{{"id", 1}, {"name", "cell"}, {"supercategory", "thing"}}};
    for (int id = 1; id <= 4; ++id) {
      made["images"].push_back(
          {{"id", id},
           {"file_name", std::string(name) + "-" + std::to_string(id) + ".png"},
           {"width", 40},
           {"height", 30}});
      made["annotations"].push_back({{"id", id},
                                     {"image_id", id},
                                     {"category_id", 1},
                                     {"bbox", {2, 2, 10, 10}},
                                     {"area", 100},
                                     {"iscrowd", 0},
                                     {"segmentation", {{2, 2, 12, 2, 12, 12, 2, 12}}},
                                     {"attributes", {{"by", "a"}}}});
    }
  }
  experiment.dataset.train = {path("images").string(), path("train.json").string()};
  experiment.dataset.val = {path("images").string(), path("val.json").string()};
}

ordered_json& MadeCheck::add(const ordered_json& changes) {
  ordered_json annotation = {
      {"id", 100},        {"image_id", 1},
      {"category_id", 1}, {"bbox", {20, 10, 10, 10}},
      {"area", 100},      {"segmentation", {{20, 10, 30, 10, 30, 20, 20, 20}}}};
  if (!changes.is_null()) annotation.update(changes);
  ordered_json& annotations = part(dataset_check::Part::Train)["annotations"];
  annotations.push_back(annotation);
  return annotations.back();
}

fs::path MadeCheck::fileOf(dataset_check::Part part) const {
  return path(std::string(base::textOf(part)) + ".json");
}

dataset_check::DatasetCheck MadeCheck::check() {
  for (const dataset_check::Part one : {dataset_check::Part::Train, dataset_check::Part::Val})
    base::writeFileAtomically(fileOf(one), part(one).dump());
  return dataset_check::checkDataset(experiment, pictures);
}

dataset_check::DatasetCheck MadeCheck::checkCleaned() {
  return checkCleaned(
      dataset_check::cleanDataset(check(), experiment, path("experiment.yaml"), cleanFolder()));
}

dataset_check::DatasetCheck MadeCheck::checkCleaned(const dataset_check::CleanedDataset& made) {
  config::Experiment cleanExperiment = experiment;
  for (const dataset_check::CleanedPart& one : made.parts) {
    (one.part == dataset_check::Part::Train ? cleanExperiment.dataset.train
                                            : cleanExperiment.dataset.val)
        .annotations = one.file;
  }
  return dataset_check::checkDataset(cleanExperiment, pictures);
}

ordered_json MadeCheck::cleaned(dataset_check::Part part) const {
  return ordered_json::parse(base::readFile(
      cleanFolder() / "annotations" / ("instances_" + std::string(base::textOf(part)) + ".json")));
}

nlohmann::ordered_json entryOf(const nlohmann::ordered_json& table, std::int64_t id) {
  for (const nlohmann::ordered_json& entry : table)
    if (entry.value("id", std::int64_t{-1}) == id) return entry;
  return nullptr;
}

std::vector<Found> faultsOf(const dataset_check::DatasetCheck& check) {
  std::vector<Found> found;
  for (const dataset_check::Finding& fault : check.faults)
    found.push_back({base::textOf(fault.kind), fault.imageId, fault.annotationId});
  return found;
}

QString textOf(const std::vector<Found>& found) {
  QString text;
  for (const Found& one : found) {
    text += QStringLiteral("%1 of image %2, annotation %3\n")
                .arg(QString::fromStdString(one.kind))
                .arg(one.imageId.value_or(-1))
                .arg(one.annotationId.value_or(-1));
  }
  return text;
}

}  // namespace lockstep::tests
