#include "app/text/distinct_names.h"

#include <QHash>
#include <QSet>

namespace lockstep::app {
namespace {

/// The last `parts` parts of a path, or the whole path if it has fewer.
QString endOf(const QString& path, int parts) {
  qsizetype slash = path.size();
  for (int i = 0; i < parts; ++i) slash = slash > 0 ? path.lastIndexOf(u'/', slash - 1) : -1;
  return path.mid(slash + 1);
}

}  // namespace

QStringList distinctNames(const QStringList& paths) {
  QStringList names(paths.size());
  QList<qsizetype> open;
  for (qsizetype i = 0; i < paths.size(); ++i) open.append(i);
  for (int parts = 1; !open.isEmpty(); ++parts) {
    QHash<QString, QSet<QString>> pathsOf;  // by name
    for (const qsizetype i : open) {
      names[i] = endOf(paths[i], parts);
      pathsOf[names[i]].insert(paths[i]);
    }
    open.removeIf([&](qsizetype i) { return pathsOf[names[i]].size() == 1; });
  }
  return names;
}

}  // namespace lockstep::app
