#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <memory>
#include <utility>

#include "app/engines/machine_memory.h"
#include "app/experiments/object_survey.h"
#include "engine/config/experiment.h"

namespace lockstep::app {

/// What follows from an experiment together with its data, this machine and earlier runs.
struct ExperimentSurvey {
  /// Name and value: steps per epoch, time, memory, objects that no anchor covers, the most crowded
  /// image.
  QList<std::pair<QString, QString>> facts;
  /// nullptr: the data cannot be read.
  std::shared_ptr<const ObjectSurvey> objects;
};

/// What a survey is made from beside the experiment.
struct SurveySources {
  std::int64_t drawsPerEpoch = 0;  ///< 0: not known
  /// Folders of runs on this machine, the newest first; time and memory are those of the first of
  /// the same model, batch, image size and device.
  QStringList runs{};
  MachineMemory memory{};
  /// Of an earlier survey, to read the annotations once; may be nullptr.
  std::shared_ptr<const ObjectSurvey> objects{};
};

/// Blocks: reads the training annotations and files of runs. What cannot be read has no facts.
ExperimentSurvey surveyExperiment(const config::Experiment& experiment,
                                  const SurveySources& sources);

/// What of the experiment the facts depend on: the same text, the same facts.
QString surveyKey(const config::Experiment& experiment);

}  // namespace lockstep::app
