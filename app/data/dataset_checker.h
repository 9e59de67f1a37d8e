#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "app/data/experiment_command.h"
#include "engine/config/experiment.h"
#include "engine/dataset_check/finding.h"

namespace lockstep::app {

/// `dataset check` of an experiment, saved or not: opens every image. One at a time; destroying it
/// ends it. No method blocks.
class DatasetChecker : public QObject {
  Q_OBJECT

 public:
  /// `program` empty: lockstep-engine beside this program.
  explicit DatasetChecker(const QString& program = {}, QObject* parent = nullptr);

  bool isRunning() const { return command_.isRunning(); }
  void check(const config::Experiment& experiment);
  /// canceled() follows, and neither finished() nor failed().
  void cancel() { command_.cancel(); }

 Q_SIGNALS:
  void progressed(const QString& text);
  /// Faults, then notes, of both parts.
  void finished(const std::vector<lockstep::dataset_check::Finding>& findings);
  void failed(const QString& reason);
  void canceled();

 private:
  void readReport(const QString& messages);

  ExperimentCommand command_;
};

/// Of the JSON that `dataset check --out` writes. Throws Error.
std::vector<dataset_check::Finding> findingsIn(const std::string& json);

}  // namespace lockstep::app
