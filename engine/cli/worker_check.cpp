#include "engine/cli/worker_check.h"

#include <utility>

#include "engine/supervisor/one_shot_job.h"

namespace lockstep::cli {
namespace {

using config::ConfigIssue;
using protocol::ImageIssues;
using protocol::ImagesCheck;

std::string checkedOf(const ImagesCheck& images) {
  return std::to_string(images.checked) + " of " + std::to_string(images.all);
}

/// `of 60 images`, or `of 64 checked images (90 in total)`.
std::string checkedImages(const ImagesCheck& images) {
  const bool isAll = images.checked == images.all;
  return "of " + std::to_string(images.checked) +
         (isAll ? " images" : " checked images (" + std::to_string(images.all) + " in total)");
}

/// `image ids 3, 5, 8 …`
std::string idsOf(const ImageIssues& images) {
  std::string text = images.count == 1 ? "image id " : "image ids ";
  for (std::size_t i = 0; i < images.firstIds.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(images.firstIds[i]);
  return images.count > static_cast<std::int64_t>(images.firstIds.size()) ? text + " …" : text;
}

void addImages(const std::string& key, const ImagesCheck& check, std::vector<ConfigIssue>& issues) {
  const auto add = [&](ConfigIssue::Severity severity, const ImageIssues& images,
                       const char* what) {
    if (images.count == 0) return;
    issues.push_back({.severity = severity,
                      .key = key,
                      .text = std::to_string(images.count) + " " + checkedImages(check) + " " +
                              what + " (" + idsOf(images) + "): " + images.first});
  };
  add(ConfigIssue::Severity::Error, check.unusable, "cannot be used");
  add(ConfigIssue::Severity::Warning, check.dark,
      check.dark.count == 1 ? "is nearly black after loading" : "are nearly black after loading");
}

}  // namespace

protocol::CheckResult askWorkerCheck(const config::Experiment& experiment,
                                     const std::filesystem::path& workerProgram,
                                     protocol::CheckJob job) {
  job.configYaml = config::writeExperiment(experiment);
  return supervisor::runOneShotJob(workerProgram, std::move(job));
}

std::vector<ConfigIssue> issuesOf(const protocol::CheckResult& check, std::string& summary) {
  std::vector<ConfigIssue> issues;
  addImages("dataset.train.images", check.train, issues);
  addImages("dataset.val.images", check.val, issues);
  if (check.weights) {
    const std::string key = "model.weights", text = check.weights->text;
    const bool namesKey = text.starts_with(key + ": ");
    issues.push_back({.key = key, .text = namesKey ? text.substr(key.size() + 2) : text});
  }
  if (check.train.all > 0) summary += "; checked " + checkedOf(check.train) + " training images";
  if (check.val.all > 0) summary += " and " + checkedOf(check.val) + " validation images";
  return issues;
}

}  // namespace lockstep::cli
