#include "widgets/jobs/awaited.h"

#include <QDir>
#include <QFileInfo>

namespace lockstep::jobs {
namespace {

constexpr std::chrono::milliseconds kMoment{200};

/// Empty: there is none below the root.
QString nearestFolder(const QString& path) {
  QFileInfo folder(path);
  while (!folder.isRoot() && !folder.isDir()) folder.setFile(folder.path());
  return folder.isRoot() ? QString() : folder.filePath();
}

}  // namespace

bool Ending::isReached() const {
  const std::lock_guard guard(state_->mutex);
  return state_->isReached;
}

bool Ending::wait(std::chrono::milliseconds atMost) const {
  std::unique_lock lock(state_->mutex);
  return state_->reached.wait_for(lock, atMost, [this] { return state_->isReached; });
}

void Ending::then(QObject* context, std::function<void()> act) const {
  const Relay::Address address = (new Relay(context, {}))->address();
  const std::lock_guard guard(state_->mutex);
  if (state_->isReached) {
    address.send(std::move(act));
  } else {
    state_->waiting.emplace_back(address, std::move(act));
  }
}

void Ending::reach() const {
  const std::lock_guard guard(state_->mutex);
  state_->isReached = true;
  state_->reached.notify_all();
  for (auto& [address, act] : std::exchange(state_->waiting, {})) address.send(std::move(act));
}

QString folderToBeginWith(const QString& path) {
  if (!QDir::isAbsolutePath(path)) return {};  // also of a place on another machine
  const Awaited work([path] { return nearestFolder(path); });
  return work.ending().wait(kMoment) ? work.take() : QDir::homePath();
}

}  // namespace lockstep::jobs
