#pragma once

#include <functional>
#include <string>

#include "engine/protocol/worker_messages.h"
#include "tests/support/fake_worker/arguments.h"

namespace lockstep::tests {

/// Does what each image says: `die`, `await NAME`, `undecodable`. The others, and the first two if
/// they can, have one detection, with the number of the file's bytes and `weights` as sides of its
/// box, and a mask of columns 10 … 19 and rows 5 … 14 of 64 x 48 px.
protocol::Detected madeDetections(const protocol::Detect& asked, const std::string& weights,
                                  const std::function<void(Arguments&)>& await);

/// The content of a file of weights, after what it says first is done: `die`, `await NAME`.
std::string madeWeights(const std::string& file, const std::function<void(Arguments&)>& await);

}  // namespace lockstep::tests
