#include "widgets/image_view/image_path.h"

#include <QDir>

namespace lockstep::widgets {

QString imagePath(const QString& folder, const QString& name, const QString& copies) {
  const QString path = QDir(folder).filePath(name);
  const bool mayLeave = QDir::isAbsolutePath(name) || name.contains(QLatin1String(".."));
  if (copies.isEmpty() || !mayLeave) return path;
  const bool isInside =
      QDir::cleanPath(path).startsWith(QDir::cleanPath(copies) + QLatin1Char('/'));
  return isInside ? path : QString();
}

}  // namespace lockstep::widgets
