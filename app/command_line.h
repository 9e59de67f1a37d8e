#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <optional>

#include "app/models/page.h"
#include "widgets/theme.h"

namespace lockstep::app {

/// What the user asked for in the command line.
struct CommandLine {
  QStringList paths;         ///< absolute: run folders, experiment files, folders of runs
  std::optional<Page> page;  ///< nothing: by what the paths are
  widgets::ThemeSwitch::Mode theme = widgets::ThemeSwitch::Mode::System;
  bool themeGiven = false;
  double scale = 0;    ///< 0: the system's
  QString screenshot;  ///< file to save the picture in
  QSize size;          ///< empty: as kept
  bool help = false;
  bool version = false;
};

/// Throws Error (mendable) that names the argument and what it may be.
CommandLine parseCommandLine(const QStringList& arguments);
QString helpText();

}  // namespace lockstep::app
