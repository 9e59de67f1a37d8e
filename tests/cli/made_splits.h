#pragma once

#include <QTemporaryDir>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/cli/data_check.h"
#include "engine/config/load.h"

namespace lockstep::tests {

/// Two splits with generated annotations. The image files are dummies: the check opens none.
class MadeSplits {
 public:
  /// Images with ids from firstId, each 640 x 480 with one square of class 3.
  void addSplit(const std::string& name, int images, int firstId, const std::string& prefix) {
    nlohmann::json file = {{"images", nlohmann::json::array()},
                           {"annotations", nlohmann::json::array()},
                           {"categories", nlohmann::json::array({{{"id", 3}, {"name", "cell"}}})}};
    for (int id = firstId; id < firstId + images; ++id) {
      const std::string image = prefix + std::to_string(id) + ".jpg";
      file["images"].push_back({{"id", id}, {"file_name", image}, {"width", 640}, {"height", 480}});
      file["annotations"].push_back({{"id", id},
                                     {"image_id", id},
                                     {"category_id", 3},
                                     {"iscrowd", 0},
                                     {"area", 100},
                                     {"bbox", {10, 10, 10, 10}},
                                     {"segmentation", {{10, 10, 20, 10, 20, 20, 10, 20}}}});
      std::filesystem::create_directories(path(name));
      base::writeFileAtomically(path(name + "/" + image), "x");
    }
    write(name, file);
  }
  nlohmann::json read(const std::string& name) const {
    return nlohmann::json::parse(base::readFile(path(name + ".json")));
  }
  void write(const std::string& name, const nlohmann::json& file) const {
    base::writeFileAtomically(path(name + ".json"), file.dump());
  }
  std::filesystem::path path(const std::string& name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }

  config::LoadedExperiment load(const std::vector<std::string>& overrides = {}) const {
    const std::string text =
        "dataset:\n  train: {images: train, annotations: train.json}\n  val: {images: val, "
        "annotations: val.json}\n"
        "solver: {batch_size: 2}\naugment: {min_size: [64], max_size: 128}\nruntime: {device: "
        "cpu}\n";
    const config::LoadedExperiment loaded =
        config::loadExperimentText(text, path("a.yaml"), overrides);
    loaded.throwOnError();
    return loaded;
  }
  /// The lines of all issues, without the folder's path.
  std::string lines(const std::vector<std::string>& overrides = {}) const {
    std::string text;
    for (const config::ConfigIssue& issue : cli::checkData(load(overrides), {}).issues) {
      text += (text.empty() ? "" : "\n") + issue.format();
    }
    const std::string prefix = path("").string();
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at)) {
      text.erase(at, prefix.size());
    }
    return text;
  }

 private:
  QTemporaryDir folder_;
};

}  // namespace lockstep::tests
