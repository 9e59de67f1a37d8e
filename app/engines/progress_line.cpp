#include "app/engines/progress_line.h"

#include <QRegularExpression>

namespace lockstep::app {

QString withoutOrigin(const QString& line) {
  static const QRegularExpression origin(QStringLiteral("^\\[\\w+\\] "));
  return QString(line).remove(origin);
}

}  // namespace lockstep::app
