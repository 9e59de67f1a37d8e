#include "app/engines/remote_place.h"

#include <QDir>
#include <QRegularExpression>

namespace lockstep::app {

std::optional<RemotePlace> RemotePlace::parse(const QString& address) {
  const QLatin1String packed("packed:");
  if (address.startsWith(packed + QLatin1String("/")))
    return packedRun(QDir::cleanPath(address.mid(packed.size())));
  static const QRegularExpression pattern(
      QStringLiteral(
          R"(^ssh://((?:[^-@/:\s][^@/:\s]*@)?)(\[[0-9A-Fa-f:.]+\]|[^-@/:\[\]\s][^@/:\[\]\s]*))"
          R"((?::(\d{1,5}))?(/.*)$)"),
      QRegularExpression::DotMatchesEverythingOption);
  const QRegularExpressionMatch match = pattern.match(address);
  if (!match.hasMatch()) return std::nullopt;
  RemotePlace place;
  place.host = match.captured(1) + match.captured(2);
  place.port = match.captured(3).toInt();
  if (place.port > 65535) return std::nullopt;
  place.path = QDir::cleanPath(match.captured(4));
  if (place.path == QLatin1String("/~")) place.path = QStringLiteral(".");
  if (place.path.startsWith(QLatin1String("/~/"))) place.path.remove(0, 3);
  return place;
}

QString RemotePlace::address() const {
  if (isPackedRun()) return QStringLiteral("packed:") + path;
  QString text = QStringLiteral("ssh://") + hostText();
  if (path == QLatin1String(".")) return text + QStringLiteral("/~");
  if (!path.startsWith(QLatin1Char('/'))) text += QStringLiteral("/~/");
  return text + path;
}

QString RemotePlace::hostText() const {
  if (isPackedRun()) return name();
  return port > 0 ? host + QLatin1Char(':') + QString::number(port) : host;
}

RemotePlace RemotePlace::child(const QString& name) const {
  RemotePlace place = *this;
  place.path = QDir::cleanPath(path + QLatin1Char('/') + name);
  return place;
}

QString RemotePlace::name() const { return path.section(QLatin1Char('/'), -1); }

}  // namespace lockstep::app
