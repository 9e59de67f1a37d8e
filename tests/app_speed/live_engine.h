#pragma once

#include <QString>
#include <QTemporaryDir>
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/run_folder/run_folder.h"

namespace lockstep::speed {

/// A run that is "training": its folder is locked, and a thread answers at its socket and sends a
/// step whenever it is told to.
class LiveEngine {
 public:
  /// Makes a run of `steps` steps in `parent`.
  LiveEngine(const QString& parent, const std::string& name, std::int64_t steps);
  ~LiveEngine();

  QString folder() const;
  bool hasClient() const;
  /// Sends the next step, with as many scalars as the engine sends; returns its number. Any thread.
  std::int64_t sendStep();

 private:
  struct Server;
  QString folder_;
  std::optional<run_folder::RunLock> lock_;
  std::unique_ptr<Server> server_;
};

}  // namespace lockstep::speed
