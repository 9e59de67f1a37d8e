#include "engine/cli/worker_check.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "engine/supervisor/one_shot_job.h"

namespace lockstep::cli {
namespace {

using config::ConfigIssue;
using Json = nlohmann::json;

FaultyImages faultyOf(const Json& part, const char* fault) {
  FaultyImages images;
  const auto found = part.find(fault);
  if (found == part.end()) return images;
  images.count = found->value("count", images.count);
  images.firstIds = found->value("ids", images.firstIds);
  images.first = found->value("first", images.first);
  return images;
}

ImagesCheck imagesOf(const Json& said, const char* part) {
  ImagesCheck images;
  const auto found = said.find(part);
  if (found == said.end()) return images;
  images.lookedAt = found->value("looked_at", std::int64_t{0});
  images.all = found->value("all", std::int64_t{0});
  images.unusable = faultyOf(*found, "faults");
  images.dark = faultyOf(*found, "dark");
  return images;
}

std::string share(const ImagesCheck& images) {
  return std::to_string(images.lookedAt) + " of " + std::to_string(images.all);
}

/// `images 3, 5, 8 …`
std::string idsOf(const FaultyImages& images) {
  std::string text = images.count == 1 ? "image " : "images ";
  for (std::size_t i = 0; i < images.firstIds.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(images.firstIds[i]);
  return images.count > static_cast<std::int64_t>(images.firstIds.size()) ? text + " …" : text;
}

void addImages(const std::string& key, const ImagesCheck& check, std::vector<ConfigIssue>& issues) {
  const auto add = [&](ConfigIssue::Severity severity, const FaultyImages& images,
                       const char* what) {
    if (images.count == 0) return;
    issues.push_back({.severity = severity,
                      .key = key,
                      .text = std::to_string(images.count) + " of the " +
                              std::to_string(check.lookedAt) + " images looked at (of " +
                              std::to_string(check.all) + ") " + what + " (" + idsOf(images) +
                              "): " + images.first});
  };
  add(ConfigIssue::Severity::Error, check.unusable, "cannot be used");
  add(ConfigIssue::Severity::Warning, check.dark, "come out nearly black");
}

}  // namespace

WorkerCheck askWorkerCheck(const config::Experiment& experiment,
                           const std::filesystem::path& workerProgram,
                           const WorkerCheckRequest& request) {
  protocol::Job job;
  job.kind = "check";
  job.configYaml = config::writeExperiment(experiment);
  job.resumeFrom = request.checkpoint.string();
  job.trainImages = job.valImages = request.imagesPerPart;
  const std::string result = supervisor::runOneShotJob(workerProgram, job);
  WorkerCheck check;
  const Json said = Json::parse(result, nullptr, false);
  if (!said.is_object()) return check;
  if (const auto weights = said.find("weights"); weights != said.end()) {
    check.weights.emplace(weights->at("fault").get<std::string>(),
                          static_cast<ExitStatus>(weights->at("status").get<int>()));
  }
  check.train = imagesOf(said, "train");
  check.val = imagesOf(said, "val");
  return check;
}

std::vector<ConfigIssue> issuesOf(const WorkerCheck& check, std::string& summary) {
  std::vector<ConfigIssue> issues;
  addImages("dataset.train.images", check.train, issues);
  addImages("dataset.val.images", check.val, issues);
  if (check.weights) {
    const std::string key = "model.weights", text = check.weights->what();
    const bool namesKey = text.starts_with(key + ": ");
    issues.push_back({.key = key, .text = namesKey ? text.substr(key.size() + 2) : text});
  }
  if (check.train.all > 0) summary += "; looked at " + share(check.train) + " training images";
  if (check.val.all > 0) summary += " and " + share(check.val) + " held out";
  return issues;
}

}  // namespace lockstep::cli
