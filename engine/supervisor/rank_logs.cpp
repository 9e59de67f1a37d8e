#include "engine/supervisor/rank_logs.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/base/error.h"

namespace lockstep::supervisor {

RankLogs::RankLogs(const run_folder::Layout& layout, int ranks) {
  for (int rank = 0; rank < ranks; ++rank) {
    const std::filesystem::path file = layout.rankLog(rank);
    files_.emplace_back(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!files_.back().isOpen())
      throw Error(file.string() + ": cannot be written: " + std::strerror(errno));
  }
}

void RankLogs::writeLine(int rank, const std::string& line) {
  const base::FileDescriptor& file = files_.at(static_cast<std::size_t>(rank));
  const std::string withNewline = line + "\n";
  [[maybe_unused]] const ssize_t written =
      ::write(file.get(), withNewline.data(), withNewline.size());
}

}  // namespace lockstep::supervisor
