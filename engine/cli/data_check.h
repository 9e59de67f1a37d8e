#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/config/load.h"
#include "engine/config/memory_estimate.h"
#include "engine/run_folder/training_state.h"
#include "engine/supervisor/devices.h"

namespace lockstep::cli {

/// What the annotations of both splits tell about an experiment.
struct DataCheck {
  std::vector<config::ConfigIssue> issues;  ///< located at the keys they are about
  std::int64_t trainImages = 0;             ///< the images that training uses
  std::int64_t drawsPerEpoch = 0;           ///< of them, some repeated (dataset.repeat_threshold)
  std::vector<double> classWeights;         ///< of solver.class_weights; empty: none
  std::size_t trainAnnotations = 0;
  std::size_t valImages = 0;
  std::size_t valAnnotations = 0;
  std::size_t classes = 0;
  config::BatchEstimate largestBatch;
  run_folder::DataFingerprints data;
};

/// Sets an issue's file, line and column to where its key is set.
void setLocation(config::ConfigIssue& issue, const config::LoadedExperiment& loaded);

/// Reads both annotation files and checks which image files exist. Throws Error for annotations
/// that cannot be parsed (exit status 1); what can be corrected in the experiment is an issue.
/// `devices`: the ranks' GPUs; empty: they run on the CPU. withAnchors: also compares the anchors
/// with the training objects.
DataCheck checkData(const config::LoadedExperiment& loaded,
                    const std::vector<supervisor::GpuDevice>& devices, bool withAnchors = false);

/// The same for `train`: throws UserError with all errors, one per line; warnings go to standard
/// error.
DataCheck checkTrainingData(const config::LoadedExperiment& loaded,
                            const std::vector<supervisor::GpuDevice>& devices);

}  // namespace lockstep::cli
