#pragma once

#include <QCoreApplication>
#include <QSettings>
#include <QString>

#include "app/frame/main_window.h"

namespace lockstep::tests {

/// What chosen_window keeps, and a window after it finds, is below this folder.
inline void keepSettingsBelow(const QString& folder) {
  QCoreApplication::setOrganizationName(QStringLiteral("tests"));
  QCoreApplication::setApplicationName(QStringLiteral("window"));  // of both programs
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                     folder + QStringLiteral("/settings"));
}

/// Of a window that keeps what is chosen there. `paths` empty: it opens what the last one showed.
inline app::MainWindowOptions keepingOptions(const QString& folder, const QStringList& paths) {
  app::MainWindowOptions options;
  options.paths = paths;
  options.size = QSize(1400, 900);
  options.draftFolder = folder + QStringLiteral("/state/drafts");
  return options;
}

}  // namespace lockstep::tests
