#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <optional>

#include "app/frame/page.h"
#include "widgets/theme.h"

namespace lockstep::app {

/// The parsed command line.
struct CommandLine {
  /// Absolute: run folders, experiment files, folders of runs; or addresses (RemotePlace).
  QStringList paths;
  std::optional<Page> page;  ///< nothing: chosen by the kind of the paths
  widgets::ThemeSwitch::Mode theme = widgets::ThemeSwitch::Mode::System;
  bool themeGiven = false;
  double scale = 0;    ///< 0: the system's scale
  QString screenshot;  ///< file to save the picture in
  QSize size;          ///< empty: the saved size
  bool help = false;
  bool version = false;
};

/// Throws a user error that names the argument and its allowed values.
CommandLine parseCommandLine(const QStringList& arguments);
QString helpText();

}  // namespace lockstep::app
