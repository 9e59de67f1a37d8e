#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/config/load.h"
#include "engine/dataset_check/part_data.h"

/// What a training needs of its dataset. Issues are at the experiment's keys, without file and
/// line.
namespace lockstep::dataset_check {

/// Errors and warnings about the annotations of the parts that are given; null: that one is not.
std::vector<config::ConfigIssue> trainingIssues(const config::Experiment& experiment,
                                                const coco::Dataset* train,
                                                const coco::Dataset* val);

/// Why training refuses the annotations of these parts: one is enough.
std::vector<std::string> annotationRefusals(const config::Experiment& experiment,
                                            const std::vector<const PartData*>& parts);

/// Images of a part that have a problem.
struct BadImages {
  std::size_t count = 0;
  std::string first{};  ///< file_name

  void add(const std::string& fileName) {
    if (count++ == 0) first = fileName;
  }
};

/// What training says of images that are `problem`, such as "empty"; nullopt: there are none. A
/// warning if it leaves them out. `key`: "dataset.train"; `all`: images of the part.
std::optional<config::ConfigIssue> imageIssue(const config::Experiment& experiment,
                                              const std::string& key, const char* problem,
                                              const BadImages& bad, std::size_t all);

/// The same of missing images, of which the folder may be the reason.
std::optional<config::ConfigIssue> missingImageIssue(const config::Experiment& experiment,
                                                     const std::string& key,
                                                     const BadImages& missing, std::size_t all);

}  // namespace lockstep::dataset_check
