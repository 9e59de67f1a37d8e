#include "app/controllers/watched_files.h"

#include <QFileInfo>
#include <QStringList>
#include <chrono>
#include <utility>

namespace lockstep::app {
namespace {

/// From the last change on: a large file is written for a while.
constexpr std::chrono::milliseconds kSettle{300};

}  // namespace

WatchedFiles::WatchedFiles(QObject* parent) : QObject(parent) {
  settle_.setSingleShot(true);
  settle_.setInterval(kSettle);
  connect(&settle_, &QTimer::timeout, this, &WatchedFiles::look);
  connect(&watch_, &FileWatch::changed, this, [this] {
    if (!files_.empty()) settle_.start();
  });
}

void WatchedFiles::add(const QString& file, const base::FileVersion& read) {
  files_[file] = read;
  settle_.start();  // begins to watch it
}

void WatchedFiles::clear() {
  files_.clear();
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
        compare(found);
        if (std::exchange(looksAgain_, false)) look();
      });
}

void WatchedFiles::compare(const Versions& found) {
  bool hasChanged = false;
  for (const auto& [file, version] : found) {
    const auto known = files_.find(file);
    if (known == files_.end() || known->second == version) continue;
    known->second = version;
    hasChanged = true;
  }
  if (hasChanged) Q_EMIT changed();
}

}  // namespace lockstep::app
