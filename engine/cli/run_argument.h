#pragma once

#include <csignal>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/signal_cleanup.h"
#include "engine/pack/packed_run.h"

namespace lockstep::cli {

/// RUN on a command line: a run folder, or a packed run, which is a run folder for as long as this
/// exists. Copies share it.
class RunArgument {
 public:
  /// Does not check a folder. Throws Error for a packed run that cannot be read.
  explicit RunArgument(const std::string& given)
      : given_(given),
        packed_(isPacked(given) ? std::make_shared<pack::PackedRun>(given) : nullptr) {}

  /// As given, for messages.
  const std::string& given() const { return given_; }
  std::filesystem::path folder() const {
    return packed_ ? packed_->layout().folder() : std::filesystem::path(given_);
  }
  /// nullptr: it is a folder.
  const pack::PackedRun* packed() const { return packed_.get(); }

 private:
  /// Or the file that it is a link to.
  static bool isPacked(const std::string& given) {
    std::error_code error;
    return pack::isPackedRun(given) || pack::isPackedRun(std::filesystem::canonical(given, error));
  }

  std::string given_;
  std::shared_ptr<const pack::PackedRun> packed_;
};

/// For commands that do not handle signals themselves, nor the end of who reads their output: what
/// is unpacked of these runs is removed when one ends the process. nullptr: nothing is.
inline std::unique_ptr<base::SignalCleanup> removedOnSignal(
    std::initializer_list<const RunArgument*> runs) {
  std::vector<std::filesystem::path> folders;
  for (const RunArgument* run : runs)
    if (run->packed() != nullptr) folders.push_back(run->packed()->folder());
  if (folders.empty()) return nullptr;
  std::signal(SIGPIPE, SIG_IGN);
  return std::make_unique<base::SignalCleanup>(std::move(folders));
}

}  // namespace lockstep::cli
