#include "app/frame/recent_files.h"

namespace lockstep::app {

void RecentFiles::add(const QString& path) {
  if (files_.value(0) == path) return;
  files_.removeAll(path);
  files_.prepend(path);
  restore(files_);
}

void RecentFiles::restore(const QStringList& files) {
  files_ = files.mid(0, kMost);
  Q_EMIT changed();
}

}  // namespace lockstep::app
