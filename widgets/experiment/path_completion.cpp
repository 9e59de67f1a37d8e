#include "widgets/experiment/path_completion.h"

#include <QDir>
#include <QDirIterator>

#include "engine/base/home_path.h"

namespace lockstep::widgets {
namespace {

constexpr int kMostShown = 50, kMostRead = 20000;

}  // namespace

QStringList pathsBeginningWith(const QString& folder, const QString& typed, bool foldersOnly) {
  const qsizetype nameBegin = typed.lastIndexOf(QLatin1Char('/')) + 1;
  const QString head = typed.left(nameBegin), begun = typed.mid(nameBegin);
  const auto expanded = base::expandHome(head.toStdString());
  if (!expanded) return {};
  QDir::Filters filters = QDir::Dirs | QDir::NoDotAndDotDot;
  if (!foldersOnly) filters |= QDir::Files;
  if (begun.startsWith(QLatin1Char('.'))) filters |= QDir::Hidden;
  QDirIterator entries(QDir(folder).absoluteFilePath(QString::fromStdString(*expanded)), filters);
  QStringList paths;
  for (int read = 0; entries.hasNext() && read < kMostRead; ++read) {
    entries.next();
    if (!entries.fileName().startsWith(begun)) continue;
    const bool isFolder = entries.fileInfo().isDir();
    paths << head % entries.fileName() % (isFolder ? QStringLiteral("/") : QString());
  }
  paths.sort();
  return paths.mid(0, kMostShown);
}

}  // namespace lockstep::widgets
