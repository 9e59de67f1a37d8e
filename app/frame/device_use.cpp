#include "app/frame/device_use.h"

#include <QCoreApplication>
#include <algorithm>
#include <exception>
#include <optional>

#include "engine/events/tags.h"

namespace lockstep::app {
namespace {

namespace tags = events::tags;

constexpr int kMostGpus = 64;

struct DeviceText {
  Q_DECLARE_TR_FUNCTIONS(Devices)
};

QString nameOf(const std::string& folder, const std::vector<LiveRun>& live) {
  const QString path = QString::fromStdString(folder);
  const auto found = std::ranges::find(live, path, &LiveRun::folder);
  return found != live.end() ? found->name : path;
}

QString holderText(const queue::Holder& holder, const std::vector<LiveRun>& live) {
  if (holder.run.empty()) return QString::fromStdString(holder.text());
  return DeviceText::tr("%1 (pid %2)").arg(nameOf(holder.run, live)).arg(holder.pid);
}

Inspected busyDevices(const DeviceUse& use, const std::vector<LiveRun>& live) {
  Inspected thing{DeviceText::tr("Devices"),
                  use.isRead && use.busy.empty() ? DeviceText::tr("All are free") : QString()};
  for (const queue::BusyDevice& busy : use.busy) {
    QStringList holders;
    for (const queue::Holder& holder : busy.holders) holders.append(holderText(holder, live));
    thing.parts.push_back(
        {QString::fromStdString(busy.device.name),
         holders.isEmpty() ? DeviceText::tr("in use") : holders.join(QStringLiteral(", "))});
  }
  thing.add(DeviceText::tr("Not read"), use.fault);
  return thing;
}

/// `87 %, 61.2 GiB, 71 °C, 640 W`: what is recorded of these.
QString figuresText(const Facts& facts, const std::vector<std::pair<std::string, QString>>& units,
                    int number) {
  QStringList texts;
  for (const auto& [tag, unit] : units)
    if (const auto value = facts.metric(QString::fromStdString(tags::numbered(tag, number))))
      texts.append(unit.arg(*value, 0, 'f', unit.contains(QLatin1String("GiB")) ? 1 : 0));
  return texts.join(QStringLiteral(", "));
}

Inspected usedBy(const LiveRun& run) {
  Inspected thing{run.name, {}};
  if (!run.facts) return thing;
  thing.add(DeviceText::tr("CPU"),
            figuresText(*run.facts,
                        {{tags::kCpuPercent, DeviceText::tr("%1 % of its cores")},
                         {tags::kHostMemoryGib, DeviceText::tr("%1 GiB")}},
                        0));
  for (int gpu = 0; gpu < kMostGpus; ++gpu)
    thing.add(DeviceText::tr("GPU %1").arg(gpu),
              figuresText(*run.facts,
                          {{tags::kGpuUtilisation, DeviceText::tr("%1 %")},
                           {tags::kGpuMemoryGib, DeviceText::tr("%1 GiB")},
                           {tags::kGpuTemperature, DeviceText::tr("%1 °C")},
                           {tags::kGpuPower, DeviceText::tr("%1 W")},
                           {tags::kGpuThrottled, DeviceText::tr("throttled %1 %")}},
                          gpu));
  if (thing.parts.empty()) thing.value = DeviceText::tr("no figures recorded yet");
  return thing;
}

Inspected queued(const DeviceUse& use, const std::vector<LiveRun>& live) {
  Inspected thing{DeviceText::tr("Queue"), use.isRead && use.waiting.empty()
                                               ? DeviceText::tr("No run is queued")
                                               : QString()};
  for (std::size_t i = 0; i < use.waiting.size(); ++i)
    thing.parts.push_back(
        {DeviceText::tr("Place %1").arg(i + 1), nameOf(use.waiting[i].run, live)});
  return thing;
}

}  // namespace

DeviceUse readDeviceUse() {
  DeviceUse use;
  try {
    use.busy = queue::busyDevices();
    use.waiting = queue::waitingRuns();
    use.isRead = true;
  } catch (const std::exception& error) {
    use.fault = QString::fromStdString(error.what());
  }
  return use;
}

std::vector<Inspected> inspectedDevices(const DeviceUse& use, const std::vector<LiveRun>& live) {
  std::vector<Inspected> things{busyDevices(use, live)};
  for (const LiveRun& run : live) things.push_back(usedBy(run));
  things.push_back(queued(use, live));
  return things;
}

}  // namespace lockstep::app
