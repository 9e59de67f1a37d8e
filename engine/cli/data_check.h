#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/cli/memory_estimate.h"
#include "engine/config/load.h"
#include "engine/run_folder/training_state.h"
#include "engine/supervisor/devices.h"

namespace lockstep::cli {

/// What the annotations of both parts say about an experiment.
struct DataCheck {
  std::vector<config::ConfigIssue> issues;  ///< with the places of the keys they are about
  std::int64_t trainImages = 0;             ///< those that training uses
  std::size_t trainAnnotations = 0;
  std::size_t valImages = 0;
  std::size_t valAnnotations = 0;
  std::size_t classes = 0;
  BatchEstimate largestBatch;
  run_folder::DataFingerprints data;
};

/// Says of an issue where its key is given.
void putInPlace(config::ConfigIssue& issue, const config::LoadedExperiment& loaded);

/// Reads both annotation files and looks which images are there. Throws Error for annotations that
/// cannot be used at all (exit status 1); what can be mended in the experiment is an issue.
/// `devices`: of the ranks; none: they are on the CPU.
DataCheck checkData(const config::LoadedExperiment& loaded,
                    const std::vector<supervisor::GpuDevice>& devices);

/// The same for `train`: throws Error (mendable) with every error, one a line; warnings go to
/// standard error.
DataCheck checkTrainingData(const config::LoadedExperiment& loaded,
                            const std::vector<supervisor::GpuDevice>& devices);

}  // namespace lockstep::cli
