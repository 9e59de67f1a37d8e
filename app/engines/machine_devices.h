#pragma once

#include <QObject>

#include "app/engines/engine_command.h"
#include "app/engines/machine_memory.h"

namespace lockstep::app {

/// Asks the engine once for the memory of this machine and of its GPUs. No method blocks.
class MachineDevices : public QObject {
  Q_OBJECT

 public:
  explicit MachineDevices(QObject* parent = nullptr);

  /// The first call asks; memory() is known when found() is emitted.
  void find();
  bool isFinding() const { return command_.isRunning(); }
  const MachineMemory& memory() const { return memory_; }

 Q_SIGNALS:
  void found();

 private:
  EngineCommand command_;
  MachineMemory memory_;
  bool isAsked_ = false;
};

}  // namespace lockstep::app
