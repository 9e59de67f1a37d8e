#include "app/frame/busy_devices.h"

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include "engine/queue/device_locks.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::seconds kLookInterval{2};

QString textOf(const std::vector<queue::BusyDevice>& busy) {
  QStringList lines;
  for (const auto& [device, holders] : busy) {
    QStringList names;
    for (const queue::Holder& holder : holders) names.append(QString::fromStdString(holder.text()));
    lines.append(QString::fromStdString(device.name) + QStringLiteral(": ") +
                 names.join(QLatin1String(", ")));
  }
  return lines.join(u'\n');
}

/// nullopt: it cannot be read.
std::optional<QString> readText() {
  try {
    return textOf(queue::busyDevices());
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

BusyDevices::BusyDevices(QObject* parent) : QObject(parent) {
  timer_.setInterval(kLookInterval);
  connect(&timer_, &QTimer::timeout, this, &BusyDevices::look);
}

void BusyDevices::setWatching(bool watches) {
  if (watches == timer_.isActive()) return;
  if (!watches) return timer_.stop();
  timer_.start();
  look();
}

void BusyDevices::look() {
  if (job_.isRunning()) return;
  job_ = jobs::start(this, jobs::Kind::Disk, &readText, [this](const std::optional<QString>& text) {
    if (text && std::exchange(text_, *text) != *text) Q_EMIT changed();
  });
}

}  // namespace lockstep::app
