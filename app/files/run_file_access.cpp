#include "app/files/run_file_access.h"

#include <QDir>
#include <QStringBuilder>

namespace lockstep::app {

QString RunFileAccess::localPath(const QString& absolute) const {
  if (!fetch || absolute.isEmpty()) return absolute;
  return folder + QLatin1Char('/') + QLatin1String(kOutsideFolder) + QDir::cleanPath(absolute);
}

QString RunFileAccess::named(QString message) const {
  if (!fetch) return message;
  const QString shown = name % QStringLiteral(": ");
  message.replace(folder % QLatin1Char('/') % QLatin1String(kOutsideFolder), shown);
  return message.replace(folder % QLatin1Char('/'), shown);
}

void RunFileAccess::bring(const QString& localPath, const Done& done) const {
  if (fetch) return fetch(localPath, done);
  done({});
}

}  // namespace lockstep::app
