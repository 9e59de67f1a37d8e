#include "app/engines/machine_devices.h"

#include <utility>

namespace lockstep::app {

MachineDevices::MachineDevices(QObject* parent) : QObject(parent) {
  connect(&command_, &EngineCommand::finished, this, [this](int, const QString& output) {
    memory_ = machineMemoryIn(output.toUtf8());
    Q_EMIT found();
  });
}

void MachineDevices::find() {
  if (std::exchange(isAsked_, true)) return;
  command_.start({QStringLiteral("info"), QStringLiteral("--json")});
}

}  // namespace lockstep::app
