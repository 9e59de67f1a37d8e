#pragma once

#include <QStringList>

#include "app/frame/main_window.h"

namespace lockstep::tests {

/// Options of a window that shows these runs and saves no state.
inline app::MainWindowOptions optionsFor(const QStringList& paths,
                                         std::optional<app::Page> page = {}) {
  app::MainWindowOptions options;
  options.paths = paths;
  options.page = page;
  options.size = QSize(1400, 900);
  options.keepLayout = false;
  return options;
}

}  // namespace lockstep::tests
