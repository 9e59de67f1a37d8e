#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <utility>

#include "engine/config/experiment.h"

namespace lockstep::app {

/// What follows from an experiment together with its data and with earlier runs, as name and
/// value: steps per epoch, time, memory, objects that no anchor covers, the most crowded image.
using SurveyFacts = QList<std::pair<QString, QString>>;

/// `drawsPerEpoch` 0: not known. `runs`: folders of runs on this machine, the newest first; time
/// and memory are those of the first of the same model, batch, image size and device. Blocks:
/// reads the training annotations and files of runs. What cannot be read has no facts.
SurveyFacts surveyExperiment(const config::Experiment& experiment, std::int64_t drawsPerEpoch,
                             const QStringList& runs);

/// What the facts depend on but for the runs: the same text, the same facts.
QString surveyKey(const config::Experiment& experiment);

}  // namespace lockstep::app
