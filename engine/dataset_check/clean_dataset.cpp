#include "engine/dataset_check/clean_dataset.h"

#include <algorithm>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/new_folder.h"
#include "engine/coco/files/edited_file.h"
#include "engine/config/experiment_name.h"
#include "engine/config/value_text.h"
#include "engine/dataset_check/kind_texts.h"
#include "engine/dataset_check/part_cleaner.h"
#include "engine/dataset_check/training_needs.h"

namespace lockstep::dataset_check {
namespace {

namespace fs = std::filesystem;

/// Within the folder of what is cleaned.
std::string fileOf(const CheckedPart& part, const DatasetCheck& check) {
  const Part name = check.isOneFile ? Part::Train : part.data.part;
  return std::string("annotations/instances_") + base::textOf(name) + ".json";
}

std::string experimentText(const fs::path& experiment, const DatasetCheck& check,
                           const fs::path& folder) {
  const std::string base = config::writeText(fs::absolute(experiment).lexically_normal().string());
  std::string text =
      "# The annotations of the base file without the errors that `dataset check` found.\nbase: " +
      base + "\nname: " + config::nameAfterFolder(folder) + "\ndataset:\n";
  for (const CheckedPart& part : check.parts) {
    if (!part.isRead) continue;
    const std::string images =
        config::writeText(fs::absolute(part.data.images).lexically_normal().string());
    text += std::string("  ") + base::textOf(part.data.part) + ": {images: " + images +
            ", annotations: " + fileOf(part, check) + "}\n";
  }
  return text;
}

/// Why a part can no longer be used; empty: it can.
std::string refusalOf(const CheckedPart& part, const CleanedPart& left, const DatasetCheck& check) {
  const bool isTraining = part.data.part == Part::Train;
  const std::string image = std::string("no ") + nameOf(part.data.part) + " image is left: ";
  const auto all = static_cast<std::int64_t>(part.data.dataset().images().size());
  if (left.images > 0)
    return isTraining && left.annotations == 0 ? "no training annotation is left" : "";
  if (all == 0) return image + part.data.annotations + " has none that can be used";
  const auto isHeldOut = [&](const Finding& fault) {
    return fault.kind == FindingKind::PictureInBothParts && fault.imageId &&
           fault.part == part.data.part;
  };
  const auto heldOut = std::ranges::count_if(check.faults, isHeldOut);
  if (heldOut == all)
    return image + "all of them are also validation images; split the dataset again";
  return image +
         (heldOut > 0
              ? "all of them are also validation images or have errors; split the dataset again"
              : "all of them have errors");
}

/// Reads what was written.
std::vector<std::string> refusalsAfter(const CleanedDataset& cleaned,
                                       config::Experiment experiment) {
  std::vector<PartData> parts;
  for (const CleanedPart& one : cleaned.parts) {
    PartData& part = parts.emplace_back();
    part.part = one.part;
    part.content = coco::loadLeniently(one.file);
    (one.part == Part::Train ? experiment.dataset.train : experiment.dataset.val).annotations =
        one.file;
  }
  std::vector<const PartData*> pointers;
  for (const PartData& part : parts) pointers.push_back(&part);
  return annotationRefusals(experiment, pointers);
}

}  // namespace

CleanedDataset cleanDataset(const DatasetCheck& check, const config::Experiment& experiment,
                            const fs::path& experimentFile, const fs::path& folder) {
  CleanedDataset cleaned;
  for (const CheckedPart& part : check.parts) {
    if (!part.isRead)
      cleaned.unmended.push_back(part.data.annotations + " cannot be read, so it is not fixed");
  }
  if (cleaned.unmended.size() == check.parts.size()) return cleaned;
  const base::NewFolder made(folder);
  fs::create_directories(made.path() / "annotations");
  for (const CheckedPart& part : check.parts) {
    if (!part.isRead) continue;
    const std::string name = fileOf(part, check);
    if (check.isOneFile && !cleaned.parts.empty()) {
      cleaned.parts.push_back(cleaned.parts[0]);
      cleaned.parts.back().part = part.data.part;
      continue;
    }
    PartCleaner cleaner(part, check.faults, cleaned.fixes);
    const coco::EntryEdits edits = cleaner.edits();
    base::writeFileAtomically(made.path() / name,
                              coco::editedAnnotationFile(part.data.annotations, edits));
    cleaned.parts.push_back({part.data.part, (folder / name).string(), cleaner.imagesLeft(),
                             cleaner.annotationsLeft()});
    const std::string refusal = refusalOf(part, cleaned.parts.back(), check);
    if (!refusal.empty()) cleaned.refusals.push_back(refusal);
  }
  const bool isEmptied = !cleaned.refusals.empty();
  if (!isEmptied)
    base::writeFileAtomically(made.path() / "experiment.yaml",
                              experimentText(experimentFile, check, folder));
  made.finish();
  if (!isEmptied) cleaned.refusals = refusalsAfter(cleaned, experiment);
  std::ranges::copy(cleaned.refusals, std::back_inserter(cleaned.unmended));
  for (const Finding& fault : check.faults) {
    if (fault.kind == FindingKind::PictureInBothParts && !fault.imageId)
      cleaned.unmended.push_back(fault.file + " " + fault.text);
  }
  return cleaned;
}

}  // namespace lockstep::dataset_check
