#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "app/data/experiment_command.h"
#include "engine/config/experiment.h"
#include "engine/dataset_check/finding.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {

/// `dataset check` of an experiment, saved or not: opens every image. One at a time; destroying it
/// ends it. No method blocks.
class DatasetChecker : public QObject {
  Q_OBJECT

 public:
  /// `program` empty: lockstep-engine beside this program.
  explicit DatasetChecker(const QString& program = {}, QObject* parent = nullptr);

  /// Until its findings are told.
  bool isRunning() const { return command_.isRunning() || reading_.isRunning(); }
  void check(const config::Experiment& experiment);
  /// canceled() follows, and neither finished() nor failed().
  void cancel();

 Q_SIGNALS:
  void progressed(const QString& text);
  /// Faults, then notes, of both parts.
  void finished(const std::vector<lockstep::dataset_check::Finding>& findings);
  void failed(const QString& reason);
  void canceled();

 private:
  void readReport(const QString& messages);

  ExperimentCommand command_;
  jobs::Job reading_;  ///< of the report
};

/// Of the JSON that `dataset check --out` writes. Throws Error.
std::vector<dataset_check::Finding> findingsIn(const std::string& json);

}  // namespace lockstep::app
