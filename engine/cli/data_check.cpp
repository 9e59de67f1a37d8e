#include "engine/cli/data_check.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <unordered_set>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/file_identity.h"
#include "engine/base/number_text.h"
#include "engine/base/standard_streams.h"
#include "engine/cli/class_weights.h"
#include "engine/coco/files/dataset.h"
#include "engine/coco/files/training_images.h"
#include "engine/config/anchor_fit.h"
#include "engine/config/evaluation_metrics.h"
#include "engine/config/value_text.h"
#include "engine/dataset_check/training_needs.h"
#include "engine/supervisor/machine.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using base::counted;
using base::gibibytes;
using config::ConfigIssue;

/// One split of the dataset, read.
struct Split {
  std::string key;  ///< "dataset.train"
  const config::DatasetSplit& paths;
  coco::Dataset dataset;
  std::unordered_set<base::FileIdentity> files;  ///< of the images that exist
};

constexpr const char* kTrainKey = "dataset.train";

class Checker {
 public:
  Checker(const config::LoadedExperiment& loaded, const std::vector<supervisor::GpuDevice>& devices)
      : loaded_(loaded), experiment_(loaded.experiment), devices_(devices) {}

  DataCheck run(bool withAnchors) {
    for (ConfigIssue& issue : config::missingData(experiment_)) add(std::move(issue));
    if (!isGiven(experiment_.dataset.train)) return std::move(check_);
    Split train = read(kTrainKey, experiment_.dataset.train);
    std::optional<Split> val;
    if (isGiven(experiment_.dataset.val)) val.emplace(read("dataset.val", experiment_.dataset.val));
    checkIds(train);
    if (val) {
      checkIds(*val);
      checkIdZero(*val);
    }
    countSplits(train, val ? &*val : nullptr);
    for (ConfigIssue& issue :
         dataset_check::trainingIssues(experiment_, &train.dataset, val ? &val->dataset : nullptr))
      add(std::move(issue));
    checkFiles(train);
    if (val) checkFiles(*val);
    countUsed(train);
    if (val) checkSharedImages(train, *val);
    if (withAnchors) checkAnchors(train);
    checkBatch();
    checkCache(train, val ? &*val : nullptr);
    checkMemory(train);
    check_.data = run_folder::dataFingerprints(train.dataset, val ? &val->dataset : nullptr);
    return std::move(check_);
  }

 private:
  void add(ConfigIssue issue) {
    setLocation(issue, loaded_);
    check_.issues.push_back(std::move(issue));
  }

  void add(const std::string& key, std::string text) { add({.key = key, .text = std::move(text)}); }

  void warn(const std::string& key, std::string text) {
    add({.severity = ConfigIssue::Severity::Warning, .key = key, .text = std::move(text)});
  }

  static bool isGiven(const config::DatasetSplit& split) {
    return !split.images.empty() && !split.annotations.empty();
  }

  static Split read(const std::string& key, const config::DatasetSplit& paths) {
    return {key, paths, coco::Dataset::load(paths.annotations), {}};
  }

  void countSplits(const Split& train, const Split* val) {
    check_.classes = train.dataset.categories().size();
    check_.trainAnnotations = train.dataset.annotationCount();
    if (val == nullptr) return;
    check_.valImages = val->dataset.images().size();
    check_.valAnnotations = val->dataset.annotationCount();
  }

  void countUsed(const Split& train) {
    const auto used = coco::trainingImages(train.dataset, experiment_.dataset.skipEmpty);
    check_.trainImages = static_cast<std::int64_t>(used.size());
    check_.drawsPerEpoch = coco::drawsPerEpoch(
        coco::repeatFactors(train.dataset, used, experiment_.dataset.repeatThreshold));
    check_.classWeights = classWeightsOf(experiment_.solver, train.dataset, used);
  }

  void checkIds(const Split& split) {
    const std::string text = split.dataset.newIds().text();
    if (!text.empty()) warn(split.key + ".annotations", text);
  }

  void checkIdZero(const Split& val) {
    const std::string text = coco::idZeroText(val.dataset);
    if (!text.empty()) warn(val.key + ".annotations", text);
  }

  void checkFiles(Split& split) {
    dataset_check::BadImages missing, empty;
    const fs::path folder = split.paths.images;
    for (const coco::Image& image : split.dataset.images()) {
      struct stat status;
      if (::stat((folder / image.fileName).c_str(), &status) == 0) {
        split.files.insert({status.st_dev, status.st_ino});
        if (S_ISREG(status.st_mode) && status.st_size == 0) empty.add(image.fileName);
      } else {
        missing.add(image.fileName);
      }
    }
    const std::size_t all = split.dataset.images().size();
    for (auto& issue : {dataset_check::missingImageIssue(experiment_, split.key, missing, all),
                        dataset_check::imageIssue(experiment_, split.key, "empty", empty, all)})
      if (issue) add(*issue);
  }

  void checkSharedImages(const Split& train, const Split& val) {
    const auto shared = static_cast<std::size_t>(
        std::count_if(val.files.begin(), val.files.end(),
                      [&](const base::FileIdentity& file) { return train.files.contains(file); }));
    // The checks of the experiment warn of one annotation file for both splits.
    std::error_code ignored;
    if (shared == 0 || fs::equivalent(train.paths.annotations, val.paths.annotations, ignored)) {
      return;
    }
    const std::string which =
        shared == val.files.size()
            ? "the validation images are training images"
            : std::to_string(shared) + " of the " + counted(val.files.size(), "validation image") +
                  (shared == 1 ? " is a training image too" : " are training images too");
    warn("dataset.val.images", which + ": validation metrics will be too optimistic");
  }

  /// Anchors that miss more than a few objects teach the RPN little about them.
  void checkAnchors(const Split& train) {
    const std::vector<config::AnnotatedBox> objects = config::trainingObjects(train.dataset);
    const config::AnchorConfig& anchors = experiment_.model.anchors;
    const config::AnchorFit fit = config::fitAnchors(objects, experiment_.augment, anchors);
    if (objects.empty() || fit.isGood()) return;
    const config::AnchorConfig better =
        config::suggestedAnchors(objects, experiment_.augment, anchors);
    const config::AnchorFit betterFit = config::fitAnchors(objects, experiment_.augment, better);
    std::string text = "no anchor has an IoU of 0.5 with " + base::percent(fit.all().share()) +
                       " of the " + counted(objects.size(), "training object") +
                       " after resizing (" + missesBySize(fit) + ")";
    if (betterFit.all().missed < fit.all().missed) {
      text += "; with sizes: " + config::writeNumbers(better.sizes) +
              (better.aspectRatios == anchors.aspectRatios
                   ? std::string()
                   : ", aspect_ratios: " + config::writeNumbers(better.aspectRatios)) +
              " it is " + base::percent(betterFit.all().share());
    }
    warn("model.anchors.sizes", text);
  }

  /// `small 90 %, medium 31 %`, of the sizes that occur.
  static std::string missesBySize(const config::AnchorFit& fit) {
    std::string text;
    for (std::size_t size = 1; size < fit.bySize.size(); ++size) {
      if (fit.bySize[size].objects == 0) continue;
      text += (text.empty() ? "" : ", ") + std::string(coco::kObjectSizeNames[size]) + " " +
              base::percent(fit.bySize[size].share());
    }
    return text;
  }

  void checkBatch() {
    const int ranks = std::max(experiment_.runtime.workers, 1);
    const std::int64_t microBatches = std::int64_t{ranks} * experiment_.solver.accumulate;
    if (experiment_.solver.batchSize % microBatches == 0) return;
    add("solver.batch_size",
        counted(static_cast<std::size_t>(experiment_.solver.batchSize), "image") +
            " cannot be divided evenly among " + counted(static_cast<std::size_t>(ranks), "rank") +
            " x solver.accumulate: " + std::to_string(experiment_.solver.accumulate) + "; " +
            config::nearestBatchSizes(experiment_.solver.batchSize, microBatches));
  }

  /// Images that have no room in the cache are decoded each time.
  void checkCache(const Split& train, const Split* val) {
    if (experiment_.dataset.cache != config::ImageCache::Ram) return;
    double bytes = 0;
    for (const Split* split : {&train, val}) {
      if (split == nullptr) continue;
      for (const coco::Image& image : split->dataset.images())
        bytes += 3.0 * image.width * image.height;  // RGB, a byte each
    }
    const auto limit = static_cast<double>(experiment_.dataset.cacheLimitBytes);
    const auto ranks = std::max(experiment_.runtime.workers, 1);
    const double all = std::min(bytes, limit) * ranks, memory = memoryOfMachine().bytes;
    if (all > memory) {
      warn("dataset.cache", "the caches of " + counted(static_cast<std::size_t>(ranks), "rank") +
                                " need " + gibibytes(all) + ", and " + memoryOfMachine().text +
                                ": lower dataset.cache_limit");
    } else if (bytes > limit) {
      warn("dataset.cache_limit", config::writeBytes(experiment_.dataset.cacheLimitBytes) +
                                      " holds " + base::percent(limit / bytes) +
                                      " of the decoded images, which take " + gibibytes(bytes) +
                                      " in each rank: the others are read again in every epoch");
    }
  }

  void checkMemory(const Split& train) {
    if (train.dataset.images().empty()) return;
    check_.largestBatch = config::estimateLargestBatch(experiment_, train.dataset.images());
    const config::BatchEstimate& batch = check_.largestBatch;
    const DeviceMemory memory = memoryOfDevice();
    if (batch.bytes() <= memory.bytes) return;
    warn(
        "solver.batch_size",
        "the largest batch, " + counted(static_cast<std::size_t>(batch.images), "image") + " of " +
            std::to_string(batch.widthPx) + " x " + std::to_string(batch.heightPx) +
            " px, needs about " + gibibytes(batch.bytes()) + " and " + memory.text +
            ": lower solver.batch_size or augment.min_size, or raise solver.accumulate" +
            (config::isHalf(experiment_.runtime.precision) ? ""
                                                           : ", or set runtime.precision to bf16"));
  }

  struct DeviceMemory {
    double bytes = 0;
    std::string text;  ///< `this machine has 23.5 GiB`
  };

  /// Of the ranks' GPU with the least free memory, or of the machine.
  DeviceMemory memoryOfDevice() const {
    std::optional<DeviceMemory> least;
    for (const supervisor::GpuDevice& gpu : devices_) {
      const auto total = static_cast<double>(gpu.memoryBytes);
      const double free = gpu.freeBytes > 0 ? static_cast<double>(gpu.freeBytes) : total;
      if (least && least->bytes <= free) continue;
      least = {free, supervisor::gpuName(gpu) + " has " + gibibytes(free) + " free of " +
                         gibibytes(total)};
    }
    return least.value_or(memoryOfMachine());
  }

  static DeviceMemory memoryOfMachine() {
    const auto bytes = static_cast<double>(supervisor::usableMemoryBytes());
    return {bytes, "this machine has " + gibibytes(bytes)};
  }

  const config::LoadedExperiment& loaded_;
  const config::Experiment& experiment_;
  const std::vector<supervisor::GpuDevice>& devices_;
  DataCheck check_;
};

}  // namespace

void setLocation(ConfigIssue& issue, const config::LoadedExperiment& loaded) {
  const auto origin = loaded.origins.find(issue.key);
  if (origin != loaded.origins.end()) {
    issue.file = origin->second.file;
    issue.line = origin->second.line;
    issue.column = origin->second.column;
  } else if (!loaded.files.empty()) {
    issue.file = loaded.files.front().string();
  }
}

DataCheck checkData(const config::LoadedExperiment& loaded,
                    const std::vector<supervisor::GpuDevice>& devices, bool withAnchors) {
  return Checker(loaded, devices).run(withAnchors);
}

DataCheck checkTrainingData(const config::LoadedExperiment& loaded,
                            const std::vector<supervisor::GpuDevice>& devices) {
  DataCheck check = checkData(loaded, devices);
  std::string errors;
  for (const ConfigIssue& issue : check.issues) {
    if (issue.severity == ConfigIssue::Severity::Warning) {
      base::printMessage(issue.format());
    } else {
      errors += (errors.empty() ? "" : "\n") + issue.format();
    }
  }
  if (!errors.empty()) throw UserError(errors);
  return check;
}

}  // namespace lockstep::cli
