#include "tests/coco_check/made_check.h"

#include <random>

#include "engine/base/atomic_file.h"
#include "engine/coco/check/clean_dataset.h"

namespace lockstep::tests {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

coco::Thumbnail madeThumbnail(unsigned seed) {
  constexpr std::size_t kSide = coco::kThumbnailSide, kCell = 8;
  std::mt19937 random(seed);
  std::array<std::uint8_t, kSide / kCell*(kSide / kCell)> cells{};
  for (std::uint8_t& cell : cells) cell = static_cast<std::uint8_t>(random() % 256);
  coco::Thumbnail thumbnail;
  for (std::size_t i = 0; i < thumbnail.size(); ++i)
    thumbnail[i] = cells[i / kSide / kCell * (kSide / kCell) + i % kSide / kCell];
  return thumbnail;
}

coco::Picture MadePictures::read(const fs::path& file, base::ImageSize annotated) const {
  ++reads;
  std::string name = file.filename().string();
  coco::Picture picture;
  if (const auto state = states.find(name); state != states.end()) picture.state = state->second;
  if (const auto turned = orientations.find(name); turned != orientations.end())
    picture.exifOrientation = turned->second;
  picture.stored = picture.state == coco::PictureState::Turned
                       ? base::ImageSize{annotated.width, annotated.height}
                       : annotated;
  if (picture.state != coco::PictureState::Usable) picture.problem = "is bad";
  if (const auto copy = copyOf.find(name); copy != copyOf.end()) name = copy->second;
  picture.thumbnail = std::make_unique<coco::Thumbnail>(
      madeThumbnail(static_cast<unsigned>(std::hash<std::string>()(name))));
  return picture;
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
  ordered_json& annotations = part(coco::Part::Train)["annotations"];
  annotations.push_back(annotation);
  return annotations.back();
}

fs::path MadeCheck::fileOf(coco::Part part) const {
  return path(std::string(base::textOf(part)) + ".json");
}

coco::DatasetCheck MadeCheck::check() {
  for (const coco::Part one : {coco::Part::Train, coco::Part::Val})
    base::writeFileAtomically(fileOf(one), part(one).dump());
  return coco::checkDataset(experiment, {}, pictures);
}

coco::DatasetCheck MadeCheck::checkCleaned() {
  const coco::CleanedDataset made =
      coco::cleanDataset(check(), path("experiment.yaml"), cleanFolder());
  config::Experiment cleanExperiment = experiment;
  for (const coco::CleanedPart& one : made.parts) {
    (one.part == coco::Part::Train ? cleanExperiment.dataset.train : cleanExperiment.dataset.val)
        .annotations = one.file;
  }
  return coco::checkDataset(cleanExperiment, {}, pictures);
}

ordered_json MadeCheck::cleaned(coco::Part part) const {
  return ordered_json::parse(base::readFile(
      cleanFolder() / "annotations" / ("instances_" + std::string(base::textOf(part)) + ".json")));
}

std::vector<Found> faultsOf(const coco::DatasetCheck& check) {
  std::vector<Found> found;
  for (const coco::Finding& fault : check.faults)
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
