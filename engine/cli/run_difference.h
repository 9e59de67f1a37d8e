#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/run_folder/run_folder.h"

namespace lockstep::cli {

/// How one kind of thing of two runs differs, as a line.
struct DifferenceLine {
  std::string what;  ///< `scalars`
  std::string text;  ///< `12345 values of 400 steps, the same` or where they part
  bool isSame = true;
};

/// A packed run has at most one checkpoint, without the optimizer's state.
enum class ComparedWeights { All, OfModel };

/// Configuration, data, scalars, evaluations, predictions and weights of two runs, in this order.
/// Names, paths, and the log's times and use of machines are left out; the number of ranks is not.
/// Throws Error for a file that cannot be read.
std::vector<DifferenceLine> compareRuns(const run_folder::Layout& left,
                                        const run_folder::Layout& right, ComparedWeights weights);

}  // namespace lockstep::cli
