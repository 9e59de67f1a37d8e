#include "app/engines/machine_memory.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

namespace lockstep::app {

MachineMemory machineMemoryIn(const QByteArray& json) {
  const QJsonObject object = QJsonDocument::fromJson(json).object();
  MachineMemory memory{object[QLatin1String("memory_bytes")].toDouble(), {}};
  for (const QJsonValue& gpu : object[QLatin1String("gpus")].toArray())
    memory.gpus.push_back(
        {gpu[QLatin1String("name")].toString(), gpu[QLatin1String("memory_bytes")].toDouble()});
  return memory;
}

const MachineMemory::Gpu* MachineMemory::gpuOf(const config::RuntimeConfig& runtime) const {
  if (runtime.device == config::Device::Cpu) return nullptr;
  const Gpu* least = nullptr;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const bool isUsed =
        runtime.devices.empty() ||
        std::ranges::find(runtime.devices, static_cast<int>(i)) != runtime.devices.end();
    if (isUsed && (!least || gpus[i].bytes < least->bytes)) least = &gpus[i];
  }
  return least;
}

int MachineMemory::rankCount(const config::RuntimeConfig& runtime) const {
  if (runtime.workers > 0) return runtime.workers;
  return static_cast<int>(runtime.devices.empty() ? gpus.size() : runtime.devices.size());
}

}  // namespace lockstep::app
