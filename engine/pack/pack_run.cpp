#include "engine/pack/pack_run.h"

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/base/signal_cleanup.h"
#include "engine/base/temporary_folder.h"
#include "engine/coco/files/edited_file.h"
#include "engine/coco/files/lenient_dataset.h"
#include "engine/pack/manifest.h"
#include "engine/pack/run_members.h"
#include "engine/pack/tar_writer.h"
#include "engine/protocol/json_text.h"
#include "engine/run_folder/run_experiment.h"

namespace lockstep::pack {
namespace fs = std::filesystem;
namespace {

using run_folder::Layout;

/// Validation ones of which predictions are kept.
std::set<ImageId> predictedImages(const Layout& layout) {
  std::set<ImageId> ids;
  for (const RunMember& file : membersIn(layout, "predictions")) {
    if (!file.name.ends_with(".json") || file.name.ends_with("-train.json")) continue;
    const auto json = protocol::parseJson(base::readFile(file.file));
    if (!json.is_object() || !json.contains("image_ids")) continue;
    for (const auto& id : json["image_ids"])
      if (id.is_number_integer()) ids.insert(ImageId{id.get<std::int64_t>()});
  }
  return ids;
}

/// The validation images that a packed run has, with their annotations.
struct Pictures {
  std::vector<RunMember> files;
  fs::path annotations;         ///< where they are
  std::string annotationsText;  ///< those of these images
  std::map<fs::path, fs::path> members;
  std::vector<std::string> warnings;
};

/// The annotation file with only these images.
std::string annotationsOf(const fs::path& file, const coco::LenientDataset& data,
                          const std::set<ImageId>& wanted) {
  coco::EntryEdits edits;
  const coco::EntryEdit removed{.isRemoved = true};
  for (std::size_t i = 0; i < data.dataset.images().size(); ++i) {
    if (wanted.contains(data.dataset.images()[i].id)) continue;
    edits[data.imageBytes[i]] = removed;
    for (const coco::AnnotationOrigin& origin : data.origins[i]) edits[origin.byte] = removed;
  }
  for (const coco::EntryError& error : data.errors)
    if (!error.isTolerated) edits[error.byte] = removed;
  return coco::editedAnnotationFile(file, edits);
}

void addImages(const config::DatasetSplit& split, const coco::Dataset& dataset,
               const std::set<ImageId>& wanted, Pictures& pictures) {
  std::size_t missing = 0;
  for (const coco::Image& image : dataset.images()) {
    if (!wanted.contains(image.id)) continue;
    const fs::path name = fs::path(image.fileName).lexically_normal(),
                   file = (fs::path(split.images) / name).lexically_normal();
    std::error_code error;
    const bool isInFolder = name.is_relative() && *name.begin() != "..";
    if (!isInFolder || !fs::is_regular_file(file, error)) {
      ++missing;
      continue;
    }
    // Numbered: names may have folders, be the same but for these, or too long for a prefix.
    const std::string member = "images/" + std::to_string(pictures.files.size() + 1) +
                               base::shortened(file.extension().string());
    pictures.files.push_back({member, file});
    pictures.members[file] = member;
  }
  if (missing > 0) {
    pictures.warnings.push_back(base::counted(missing, "image") + " not packed: missing in " +
                                split.images);
  }
}

Pictures picturesOf(const Layout& layout) {
  Pictures pictures;
  const std::set<ImageId> wanted = predictedImages(layout);
  const config::DatasetSplit split = run_folder::readRunExperiment(layout).dataset.val;
  if (wanted.empty() || split.annotations.empty()) return pictures;
  try {
    const coco::LenientDataset data = coco::loadLeniently(split.annotations);
    pictures.annotationsText = annotationsOf(split.annotations, data, wanted);
    pictures.annotations = split.annotations;
    pictures.members[pictures.annotations.lexically_normal()] = "annotations.json";
    addImages(split, data.dataset, wanted, pictures);
  } catch (const Error& error) {
    pictures.warnings.push_back(std::string("images and annotations not packed: ") + error.what());
  }
  return pictures;
}

/// run.json as it is when the run ends now.
std::string endedRunJson(run_folder::RunSummary summary) {
  if (summary.alive) summary.info.state = protocol::RunState::Stopped;
  summary.info.socket.clear();
  summary.info.pid = 0;
  summary.info.queuePosition.reset();
  const base::TemporaryFolder folder;
  const Layout copy(folder.path());
  run_folder::writeRunInfo(copy, summary.info);
  return base::readFile(copy.runJson());
}

}  // namespace

PackedContent packRun(const Layout& layout, const fs::path& target, const fs::path& weights) {
  run_folder::requireValidConfig(layout);
  const run_folder::RunSummary summary = run_folder::summarise(layout.folder());
  const std::vector<RunMember> members = membersOfRun(layout);
  Pictures pictures = picturesOf(layout);
  PackedContent content{run_folder::evaluationSteps(layout).size(),
                        run_folder::predictionSteps(layout).size(), pictures.files.size()};
  content.warnings = std::move(pictures.warnings);
  std::vector<RunMember> ofWeights;
  if (!weights.empty()) {
    content.weightsStep = run_folder::stepOfWeights(layout, weights);
    if (!content.weightsStep)
      throw UserError(weights.string() + ": is not a checkpoint of the run; pack takes its own");
    ofWeights = membersOfWeights(*content.weightsStep, weights);
  }

  const double now = base::wallTimeSeconds();
  const bool hasAnnotations = !pictures.annotations.empty();
  const std::size_t count =
      1 + members.size() + hasAnnotations + pictures.files.size() + ofWeights.size();
  TarWriter tar(target);
  const base::SignalCleanup cleanup({tar.temporaryFile()});
  Manifest manifest{layout.folder().string(), now,   summary.info.step,
                    content.weightsStep,      count, std::vector<std::uint32_t>(count),
                    pictures.members};
  tar.addText(kManifestName, writeManifest(manifest), now);
  tar.addText("run.json", endedRunJson(summary), now);
  for (const RunMember& member : members) tar.addFile(member.name, member.file);
  if (hasAnnotations) tar.addText("annotations.json", pictures.annotationsText, now);
  for (const RunMember& image : pictures.files) tar.addFile(image.name, image.file);
  for (const RunMember& member : ofWeights) tar.addFile(member.name, member.file);
  manifest.checksums.assign(tar.checksums().begin() + 1, tar.checksums().end());
  tar.replaceFirst(writeManifest(manifest));
  tar.finish();
  return content;
}

}  // namespace lockstep::pack
