#pragma once

#include <QString>
#include <vector>

#include "app/docks/inspected.h"
#include "app/runs/list/facts.h"
#include "engine/queue/device_locks.h"
#include "engine/queue/waiting_runs.h"

namespace lockstep::app {

/// Who has the devices of this machine, and who waits for them.
struct DeviceUse {
  std::vector<queue::BusyDevice> busy;
  std::vector<queue::WaitingRun> waiting;  ///< in their order
  bool isRead = false;                     ///< both are known
  QString fault;                           ///< why they could not be read
};

/// Blocks.
DeviceUse readDeviceUse();

/// A run that trains, with its newest figures; nullptr: they are not read yet.
struct LiveRun {
  QString name, folder;
  const Facts* facts = nullptr;
};

/// The devices with their runs, what each run uses of them, and the queue.
std::vector<Inspected> inspectedDevices(const DeviceUse& use, const std::vector<LiveRun>& live);

}  // namespace lockstep::app
