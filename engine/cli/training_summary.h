#pragma once

#include <string>

#include "engine/run_folder/run_folder.h"

namespace lockstep::cli {

/// The outcome of a run as `key: value` lines: folder, state, steps, best, and the metrics of its
/// newest evaluation.
std::string summariseTraining(const run_folder::Layout& layout);

/// What a finished learning-rate range test suggests, in one line. Throws Error if its event log
/// is incomplete.
std::string summariseRangeTest(const run_folder::Layout& layout);

}  // namespace lockstep::cli
