#include "app/data/dataset_checker.h"

#include <nlohmann/json.hpp>

#include "app/controllers/progress_line.h"
#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "widgets/jobs/jobs.h"

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
  connect(&command_, &EngineCommand::progressed, this,
          [this](const QString& line) { Q_EMIT progressed(withoutOrigin(line)); });
  connect(&command_, &EngineCommand::finished, this,
          [this](int exitStatus, const QString&, const QString& messages) {
            handleFinish(exitStatus, messages);
          });
}

/// Of a file of its own, so that also what is not saved yet is checked.
void DatasetChecker::check(const config::Experiment& experiment) {
  if (isRunning()) return;
  isCanceled_ = false;
  try {
    experiment_ = std::make_unique<ExperimentCopy>(experiment);
  } catch (const std::exception& error) {
    return Q_EMIT failed(QString::fromUtf8(error.what()));
  }
  Q_EMIT progressed(tr("Starting"));
  command_.start({QStringLiteral("dataset"), QStringLiteral("check"), experiment_->file(),
                  QStringLiteral("--out"), experiment_->pathOf(kReport)});
}

void DatasetChecker::cancel() {
  isCanceled_ = true;
  command_.cancel();
}

/// 1: training refuses the data; the findings say why.
void DatasetChecker::handleFinish(int exitStatus, const QString& messages) {
  if (isCanceled_) return Q_EMIT canceled();
  const QString file = experiment_->pathOf(kReport);
  if (exitStatus != 0 && exitStatus != 1)
    return Q_EMIT failed(messages.isEmpty() ? tr("lockstep-engine ended with status %1 and no "
                                                 "message.")
                                                  .arg(exitStatus)
                                            : messages);
  jobs::start(
      this, jobs::Kind::Disk, [path = file.toStdString()] { return readFindings(path); },
      [this, messages](const Outcome& outcome) {
        if (outcome.error.isEmpty()) return Q_EMIT finished(outcome.findings);
        Q_EMIT failed(messages.isEmpty() ? outcome.error : messages);
      });
}

}  // namespace lockstep::app
