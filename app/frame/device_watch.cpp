#include "app/frame/device_watch.h"

#include <chrono>

#include "app/docks/fact_panel.h"
#include "app/runs/list/run_list_model.h"
#include "engine/events/tags.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::seconds kInterval{2};

}  // namespace

DeviceWatch::DeviceWatch(FactPanel* panel, RunListModel* runs, QObject* parent)
    : QObject(parent), panel_(panel), runs_(runs), facts_(events::tags::kCpuPercent) {
  timer_.setInterval(kInterval);
  connect(&timer_, &QTimer::timeout, this, &DeviceWatch::look);
  connect(&facts_, &RunFacts::changed, this, &DeviceWatch::show);
  connect(panel_, &FactPanel::shown, this, [this] {
    timer_.start();
    look();
  });
}

std::vector<LiveRun> DeviceWatch::aliveRuns() const {
  std::vector<LiveRun> alive;
  for (int row = 0; row < runs_->rowCount(); ++row) {
    const QModelIndex run = runs_->index(row);
    if (!run.data(RunListModel::AliveRole).toBool() ||
        !run.data(RunListModel::HostRole).toString().isEmpty())
      continue;
    const QString folder = run.data(RunListModel::FolderRole).toString();
    alive.push_back({run.data(RunListModel::NameRole).toString(), folder, facts_.find(folder)});
  }
  return alive;
}

void DeviceWatch::look() {
  if (!panel_->isVisible()) return timer_.stop();
  QStringList folders;
  for (const LiveRun& run : aliveRuns()) folders.append(run.folder);
  watched_.removeIf([&](const QString& folder) { return folders.contains(folder); });
  facts_.forget(watched_);
  watched_ = folders;
  facts_.want(folders);
  if (reading_.isRunning()) return;
  reading_ = jobs::start(this, jobs::Kind::Disk, &readDeviceUse, [this](const DeviceUse& use) {
    use_ = use;
    show();
  });
}

void DeviceWatch::show() { panel_->setThings(inspectedDevices(use_, aliveRuns())); }

}  // namespace lockstep::app
