#pragma once

#include <string>
#include <vector>

#include "engine/base/file_descriptor.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::supervisor {

/// The files rank-N.log of a run folder: what the ranks of node 0 write on standard error and
/// output. Those ranks come first in the world.
class RankLogs {
 public:
  /// Throws Error when one cannot be written.
  RankLogs(const run_folder::Layout& layout, int ranks);

  void writeLine(int rank, const std::string& line);

 private:
  std::vector<base::FileDescriptor> files_;
};

}  // namespace lockstep::supervisor
