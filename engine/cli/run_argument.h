#pragma once

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>

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
  /// For commands that do not handle signals themselves, nor the end of who reads their output:
  /// what is unpacked is removed when one ends the process. nullptr: it is a folder.
  std::unique_ptr<base::SignalCleanup> removedOnSignal() const {
    if (!packed_) return nullptr;
    std::signal(SIGPIPE, SIG_IGN);
    return std::make_unique<base::SignalCleanup>(packed_->folder());
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

}  // namespace lockstep::cli
