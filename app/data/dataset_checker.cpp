#include "app/data/dataset_checker.h"

#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"

namespace lockstep::app {
namespace {

using dataset_check::Finding;
using nlohmann::json;

constexpr const char* kReport = "check.json";

template <typename Value>
std::optional<Value> optionalOf(const json& object, const char* key) {
  const json& value = object.at(key);
  return value.is_null() ? std::nullopt : std::optional(value.get<Value>());
}

Finding findingOf(const json& found) {
  const auto kind =
      base::parseEnum<dataset_check::FindingKind>(found.at("kind").get<std::string>());
  const auto part = base::parseEnum<dataset_check::Part>(found.at("part").get<std::string>());
  if (!kind || !part) throw Error("unknown kind or part: " + found.dump());
  Finding finding{.kind = *kind,
                  .part = *part,
                  .file = found.at("file").get<std::string>(),
                  .imageId = optionalOf<std::int64_t>(found, "image_id"),
                  .annotationId = optionalOf<std::int64_t>(found, "annotation_id"),
                  .text = found.at("text").get<std::string>()};
  finding.byte = optionalOf<std::size_t>(found, "byte").value_or(0);
  return finding;
}

struct Outcome {
  std::vector<Finding> findings{};
  QString error{};
};

Outcome readFindings(const std::string& file) {
  try {
    return {findingsIn(base::readFile(file))};
  } catch (const std::exception& error) {
    return {{}, QString::fromUtf8(error.what())};
  }
}

}  // namespace

std::vector<Finding> findingsIn(const std::string& text) {
  try {
    const json report = json::parse(text);
    std::vector<Finding> findings;
    for (const char* list : {"faults", "notes"})
      for (const json& found : report.at(list)) findings.push_back(findingOf(found));
    return findings;
  } catch (const json::exception& error) {
    throw Error(std::string("the report of the check cannot be read: ") + error.what());
  }
}

DatasetChecker::DatasetChecker(const QString& program, QObject* parent)
    : QObject(parent), command_(program) {
  connect(&command_, &ExperimentCommand::progressed, this, &DatasetChecker::progressed);
  connect(&command_, &ExperimentCommand::failed, this, &DatasetChecker::failed);
  connect(&command_, &ExperimentCommand::canceled, this, &DatasetChecker::canceled);
  // Status 1: training refuses the data; the findings say why.
  connect(&command_, &ExperimentCommand::finished, this,
          [this](int, const QString& messages) { readReport(messages); });
}

void DatasetChecker::check(const config::Experiment& experiment) {
  command_.start(experiment, QStringLiteral("check"), kReport);
}

void DatasetChecker::cancel() {
  if (command_.isRunning()) return command_.cancel();
  reading_.cancel();
  Q_EMIT canceled();
}

void DatasetChecker::readReport(const QString& messages) {
  reading_ = jobs::start(
      this, jobs::Kind::Disk,
      [path = command_.pathOf(kReport).toStdString()] { return readFindings(path); },
      [this, messages](const Outcome& outcome) {
        if (outcome.error.isEmpty()) return Q_EMIT finished(outcome.findings);
        Q_EMIT failed(messages.isEmpty() ? outcome.error : messages);
      });
}

}  // namespace lockstep::app
