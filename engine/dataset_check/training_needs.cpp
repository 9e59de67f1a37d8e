#include "engine/dataset_check/training_needs.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/coco/evaluation/past_limit.h"
#include "engine/config/evaluation_metrics.h"
#include "engine/dataset_check/annotation_issues.h"

namespace lockstep::dataset_check {
namespace {

namespace fs = std::filesystem;
using base::counted;
using config::ConfigIssue;

constexpr const char* kTrainKey = "dataset.train";
constexpr const char* kValKey = "dataset.val";

/// `12 'cell'`
std::string nameOf(const coco::Category& category) {
  return std::to_string(category.id.value) + " '" + base::shortened(category.name) + "'";
}

class Needs {
 public:
  explicit Needs(const config::Experiment& experiment) : experiment_(experiment) {}

  std::vector<ConfigIssue> check(const coco::Dataset* train, const coco::Dataset* val) {
    if (train != nullptr) {
      checkTrainClasses(*train);
      checkClassWeights(*train);
      checkCopyPaste(*train);
      if (val != nullptr && !train->categories().empty()) checkHeldOutClasses(*train, *val);
      checkUsable(*train);
    }
    if (val != nullptr) checkHeldOutImages(*val);
    if (train != nullptr) checkAnnotations(kTrainKey, *train);
    if (val != nullptr) checkAnnotations(kValKey, *val);
    return std::move(issues_);
  }

 private:
  void add(const std::string& key, std::string text) {
    issues_.push_back({.key = key, .text = std::move(text)});
  }

  void warn(const std::string& key, std::string text) {
    add(key, std::move(text));
    issues_.back().severity = ConfigIssue::Severity::Warning;
  }

  void checkTrainClasses(const coco::Dataset& train) {
    if (!train.categories().empty()) return;
    add("dataset.train.annotations",
        experiment_.dataset.train.annotations + " has no classes: its \"categories\" are empty");
  }

  void checkClassWeights(const coco::Dataset& train) {
    const std::size_t weights = experiment_.solver.classWeights.values.size();
    const std::size_t classes = train.categories().size();
    if (weights == 0 || weights == classes) return;
    add("solver.class_weights", "has " + counted(weights, "number") +
                                    ", but the training split has " + counted(classes, "class") +
                                    "; give one for each");
  }

  void checkCopyPaste(const coco::Dataset& train) {
    const double share = experiment_.augment.copyPaste;
    if (share <= 0 || !train.hasOnlyBoxes()) return;
    warn("augment.copy_paste", base::shortNumber(share) +
                                   " has no effect: objects are cut out by their masks, and no "
                                   "training object has one; add masks, or set it to 0");
  }

  void checkHeldOutClasses(const coco::Dataset& train, const coco::Dataset& val) {
    for (const coco::Category& category : val.categories()) {
      const auto& known = train.categories();
      const auto same = std::ranges::find(known, category.id, &coco::Category::id);
      if (same == known.end()) {
        add("dataset.val.annotations",
            "category " + nameOf(category) + " is missing in the training split");
        return;
      }
      if (same->name == category.name) continue;
      warn("dataset.val.annotations", "category " + nameOf(category) + " is '" +
                                          base::shortened(same->name) + "' in the training split");
      return;
    }
  }

  void checkUsable(const coco::Dataset& train) {
    const std::size_t all = train.images().size();
    if (all == 0) {
      add("dataset.train.annotations", "has no images");
    } else if (train.usableImageCount() == 0) {
      add("dataset.train.annotations",
          experiment_.dataset.train.annotations + ": none of the " + counted(all, "image") +
              " has a usable annotation (iscrowd 0, width and height over 1 px)");
    }
  }

  void checkHeldOutImages(const coco::Dataset& val) {
    if (val.images().empty()) add("dataset.val.annotations", "has no images");
    const auto evaluated = static_cast<std::size_t>(experiment_.evaluation.maxImages);
    const std::size_t limit = config::apParams(experiment_.evaluation).mostDetections();
    const std::string past = coco::objectsPastLimit(val, limit, evaluated).text();
    if (!past.empty()) warn("dataset.val.annotations", past);
    // model.box_head.detections_per_image below the objects of the most crowded image.
    const auto detections = static_cast<std::size_t>(experiment_.model.boxHead.detectionsPerImage);
    const std::string text = coco::detectionLimitText(val, detections, evaluated);
    if (!text.empty()) warn("model.box_head.detections_per_image", text);
  }

  void checkAnnotations(const std::string& split, const coco::Dataset& dataset) {
    for (const AnnotationIssue& issue : annotationIssues(dataset)) {
      add(split + ".annotations", issue.text);
      if (!issue.isError) issues_.back().severity = ConfigIssue::Severity::Warning;
    }
    checkMasks(split, dataset);
  }

  /// A mask head learns from the annotations that have masks, and its AP is of these.
  void checkMasks(const std::string& split, const coco::Dataset& dataset) {
    if (!experiment_.model.masks) return;
    std::size_t usable = 0, boxes = 0;
    std::int64_t firstId = 0;
    for (std::size_t i = 0; i < dataset.images().size(); ++i) {
      for (const coco::Annotation& annotation : dataset.annotationsOf(i)) {
        if (!annotation.isUsable()) continue;
        ++usable;
        if (!annotation.hasMask && boxes++ == 0) firstId = annotation.id;
      }
    }
    if (boxes == 0) return;
    const std::string which = std::to_string(boxes) + " of the " +
                              counted(usable, "usable annotation") +
                              (boxes == 1 ? " has" : " have") +
                              " a box but no mask, the first has id " + std::to_string(firstId);
    if (boxes == usable) {
      add(split + ".annotations",
          which + ": train a detector of boxes with model.masks: false, or add masks");
    } else {
      warn(split + ".annotations",
           which + ": " +
               (split == kTrainKey ? "they are not trained on by the mask head"
                                   : "mask AP leaves them out"));
    }
  }

  const config::Experiment& experiment_;
  std::vector<ConfigIssue> issues_;
};

const config::DatasetSplit& splitOf(const config::Experiment& experiment, const std::string& key) {
  return key == kTrainKey ? experiment.dataset.train : experiment.dataset.val;
}

}  // namespace

std::vector<ConfigIssue> trainingIssues(const config::Experiment& experiment,
                                        const coco::Dataset* train, const coco::Dataset* val) {
  return Needs(experiment).check(train, val);
}

std::vector<std::string> annotationRefusals(const config::Experiment& experiment,
                                            const std::vector<const PartData*>& parts) {
  std::vector<std::string> refusals;
  const coco::Dataset *train = nullptr, *val = nullptr;
  for (const PartData* part : parts) {
    if (part->content.refusal.empty()) {
      (part->part == Part::Train ? train : val) = &part->dataset();
    } else {
      refusals.push_back(part->key() + ".annotations: " + part->content.refusal);
    }
  }
  for (const ConfigIssue& issue : trainingIssues(experiment, train, val)) {
    if (issue.severity == ConfigIssue::Severity::Error)
      refusals.push_back(issue.key + ": " + issue.text);
  }
  return refusals;
}

std::optional<ConfigIssue> imageIssue(const config::Experiment& experiment, const std::string& key,
                                      const char* problem, const BadImages& bad, std::size_t all) {
  if (bad.count == 0) return std::nullopt;
  const bool areOthersLeft = bad.count < all;
  const bool isSkipped = experiment.dataset.skipsBadImages() && areOthersLeft;
  const char* remedy = isSkipped       ? ""
                       : areOthersLeft ? "; restore them, or skip them with dataset.bad_images: "
                                         "skip"
                                       : "; restore them";
  ConfigIssue issue{.key = key + ".images",
                    .text = splitOf(experiment, key).images + ": " + std::to_string(bad.count) +
                            " of the " + counted(all, "image") + " in the annotations " +
                            (bad.count == 1 ? "is " : "are ") + problem + ", such as " +
                            base::shortenedPath(bad.first) + remedy};
  if (isSkipped) issue.severity = ConfigIssue::Severity::Warning;
  return issue;
}

std::optional<ConfigIssue> missingImageIssue(const config::Experiment& experiment,
                                             const std::string& key, const BadImages& missing,
                                             std::size_t all) {
  // Each file_name may repeat the folder's name: `train/a.jpg` in `DIR/train`.
  const std::string& folder = splitOf(experiment, key).images;
  const fs::path parent = fs::path(folder).parent_path();
  std::error_code ignored;
  if (missing.count == 0 || missing.count < all ||
      !fs::is_regular_file(parent / missing.first, ignored))
    return imageIssue(experiment, key, "missing", missing, all);
  return ConfigIssue{.key = key + ".images",
                     .text = folder + ": none of the " + counted(all, "image") +
                             " in the annotations is in this folder, such as " +
                             base::shortenedPath(missing.first) + "; file_name is relative to " +
                             key + ".images: did you mean " + parent.string() + "?"};
}

}  // namespace lockstep::dataset_check
