#include "app/models/recent_files.h"

#include <QFileInfo>
#include <algorithm>

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

QStringList listedNames(const QStringList& files) {
  QStringList names;
  const auto nameOf = [](const QString& path) { return QFileInfo(path).fileName(); };
  for (const QString& file : files) {
    const bool isAlone = std::ranges::count(files, nameOf(file), nameOf) == 1;
    names << (isAlone ? nameOf(file)
                      : QStringLiteral("%1 (%2)").arg(nameOf(file), QFileInfo(file).path()));
  }
  return names;
}

}  // namespace lockstep::app
