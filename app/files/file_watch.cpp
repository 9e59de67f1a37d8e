#include "app/files/file_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <QFile>
#include <QSocketNotifier>
#include <algorithm>
#include <array>
#include <cstring>

namespace lockstep::app {
namespace {

constexpr std::uint32_t kOfAFile = IN_ATTRIB | IN_MODIFY | IN_MOVE_SELF | IN_DELETE_SELF;
/// Not what is written to the files in it: a log beside the experiment may grow all the time. But
/// their permissions, as a file that cannot be read cannot be watched by itself.
constexpr std::uint32_t kOfAFolder =
    IN_ATTRIB | IN_MOVE | IN_CREATE | IN_DELETE | IN_MOVE_SELF | IN_DELETE_SELF | IN_ONLYDIR;

/// -1: it is not there.
int watch(int inotify, const QByteArray& path) {
  const int ofAFolder = ::inotify_add_watch(inotify, path.constData(), kOfAFolder);
  return ofAFolder >= 0 ? ofAFolder : ::inotify_add_watch(inotify, path.constData(), kOfAFile);
}

}  // namespace

FileWatch::Paths::Paths() : inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

void FileWatch::Paths::set(const QStringList& paths, int number) {
  // Not under the mutex: a path may hang, and a later call must not wait for it.
  std::vector<int> watches;
  for (const QString& path : paths) {
    const int added = watch(inotify_.get(), QFile::encodeName(path));
    if (added >= 0) watches.push_back(added);
  }
  const std::lock_guard guard(mutex_);
  const bool isOutdated = number < number_;
  const std::vector<int>& dropped = isOutdated ? watches : watches_;
  const std::vector<int>& kept = isOutdated ? watches_ : watches;
  for (const int watch : dropped)
    if (std::find(kept.begin(), kept.end(), watch) == kept.end())
      ::inotify_rm_watch(inotify_.get(), watch);
  if (isOutdated) return;
  number_ = number;
  watches_ = std::move(watches);
}

FileWatch::FileWatch(QObject* parent) : QObject(parent) {
  if (paths_->inotify_.get() < 0) return;  // as on a file system that reports nothing
  auto* notifier = new QSocketNotifier(paths_->inotify_.get(), QSocketNotifier::Read, this);
  connect(notifier, &QSocketNotifier::activated, this, &FileWatch::read);
}

void FileWatch::read() {
  alignas(inotify_event) std::array<char, 8192> bytes;
  bool hasChanged = false, isWritten = false;
  for (;;) {
    const ssize_t count = ::read(paths_->inotify_.get(), bytes.data(), bytes.size());
    if (count <= 0) break;
    for (ssize_t at = 0; at < count;) {
      inotify_event event;
      std::memcpy(&event, bytes.data() + at, sizeof event);
      at += static_cast<ssize_t>(sizeof event + event.len);
      if ((event.mask & IN_IGNORED) == 0) hasChanged = true;  // that is of set() itself
      if ((event.mask & IN_MODIFY) != 0) isWritten = true;
    }
  }
  if (hasChanged) Q_EMIT changed(isWritten);
}

}  // namespace lockstep::app
