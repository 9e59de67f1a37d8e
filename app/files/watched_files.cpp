#include "app/files/watched_files.h"

#include <QFileInfo>
#include <QStringList>
#include <chrono>
#include <utility>

namespace lockstep::app {
namespace {

/// From the last change of a file on: a large one is written for a while. But from the first one of
/// a folder, in which others may be written all the time.
constexpr std::chrono::milliseconds kWatchSettle{300};

}  // namespace

WatchedFiles::WatchedFiles(QObject* parent) : QObject(parent) {
  settle_.setSingleShot(true);
  settle_.setInterval(kWatchSettle);
  connect(&settle_, &QTimer::timeout, this, &WatchedFiles::look);
  connect(&watch_, &FileWatch::changed, this, [this](bool isWritten) {
    if (!files_.empty() && (isWritten || !settle_.isActive())) settle_.start();
  });
}

void WatchedFiles::add(const QString& file, const base::FileVersion& read) {
  files_[file] = read;
  look_.cancel();   // what it finds may be older
  settle_.start();  // begins to watch it
}

void WatchedFiles::clear() {
  files_.clear();
  look_.cancel();
  settle_.start();
}

void WatchedFiles::look() {
  looksAgain_ = look_.isRunning();
  if (looksAgain_) return;
  look_ = jobs::start(
      this, jobs::Kind::Disk,
      [files = files_, number = ++looks_, watch = watch_.paths()] {
        // First, so that no change is missed. Folders, as a replaced file is another one.
        QStringList places;
        for (const auto& [file, read] : files) places << QFileInfo(file).absolutePath() << file;
        places.removeDuplicates();
        watch->set(places, number);
        Versions found;
        for (const auto& [file, read] : files)
          found[file] = base::FileVersion::of(file.toStdString());
        return found;
      },
      [this](const Versions& found) {
        const bool hasChanged = std::exchange(files_, found) != found;
        if (hasChanged) Q_EMIT changed();
        if (std::exchange(looksAgain_, false)) look();
      });
}

}  // namespace lockstep::app
