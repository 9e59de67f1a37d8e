#pragma once

#include <QByteArray>
#include <QFile>
#include <QString>

namespace lockstep::tests {

/// Empty if it cannot be read.
inline QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace lockstep::tests
