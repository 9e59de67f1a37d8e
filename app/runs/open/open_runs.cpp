#include "app/runs/open/open_runs.h"

namespace lockstep::app {
namespace {

constexpr qsizetype kMaxHidden = 6;

}  // namespace

OpenRuns::OpenRuns(QObject* parent) : QObject(parent) {}
OpenRuns::~OpenRuns() = default;

RunController* OpenRuns::open(const QString& folder) {
  auto& run = runs_[folder];
  if (!run) {
    run = std::make_unique<RunController>(folder);
    run->history().metrics().setSmoothing(smoothing_);
    Q_EMIT runOpened(run.get());
    run->refresh();
  } else if (run->place()) {
    run->refresh();  // tries again to connect to a machine that refused
  }
  return run.get();
}

RunController* OpenRuns::find(const QString& folder) const {
  const auto found = runs_.find(folder);
  return found == runs_.end() ? nullptr : found->second.get();
}

void OpenRuns::setShown(const QStringList& folders) {
  for (const QString& folder : folders) {
    recent_.removeAll(folder);
    recent_.prepend(folder);
  }
  for (qsizetype i = recent_.size() - 1; i >= folders.size() + kMaxHidden; --i) {
    const auto found = runs_.find(recent_[i]);
    if (found != runs_.end() && found->second->isPredicting()) continue;
    recent_.removeAt(i);
    if (found == runs_.end()) continue;
    found->second.release()->deleteLater();  // queued signals may still use it
    runs_.erase(found);
  }
}

void OpenRuns::setSmoothing(double weight) {
  smoothing_ = weight;
  for (auto& [folder, run] : runs_) run->history().metrics().setSmoothing(weight);
}

}  // namespace lockstep::app
