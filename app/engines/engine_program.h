#pragma once

#include <QCoreApplication>
#include <QString>

namespace lockstep::app {

/// `program`; empty: lockstep-engine beside this program.
inline QString engineProgram(const QString& program = {}) {
  return program.isEmpty()
             ? QCoreApplication::applicationDirPath() + QStringLiteral("/lockstep-engine")
             : program;
}

}  // namespace lockstep::app
