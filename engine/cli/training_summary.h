#pragma once

#include <string>

#include "engine/run_folder/run_folder.h"

namespace lockstep::cli {

/// What a run came to, as `key: value` lines: folder, state, steps, best, and the figures of its
/// newest evaluation.
std::string summariseTraining(const run_folder::Layout& layout);

}  // namespace lockstep::cli
