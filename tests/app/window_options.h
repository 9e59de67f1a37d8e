#pragma once

#include <QStringList>
#include <memory>
#include <optional>

#include "app/frame/main_window.h"
#include "widgets/banner.h"

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

/// The same of one that keeps its layout and session in the settings.
inline app::MainWindowOptions keepingOptionsFor(const QStringList& paths,
                                                std::optional<app::Page> page = {}) {
  app::MainWindowOptions options = optionsFor(paths, page);
  options.keepLayout = true;
  return options;
}

/// A window of its own, which is shown.
inline std::unique_ptr<app::MainWindow> openWindow(widgets::ThemeSwitch& theme,
                                                   const app::MainWindowOptions& options) {
  auto window = std::make_unique<app::MainWindow>(&theme, options);
  window->show();
  return window;
}

/// The first visible banner whose title and detail contain these texts; null: none.
inline const widgets::Banner* visibleBanner(const app::MainWindow& window, const QString& title,
                                            const QString& detail) {
  for (const auto* banner : window.findChildren<widgets::Banner*>())
    if (banner->isVisible() && banner->title().contains(title) && banner->detail().contains(detail))
      return banner;
  return nullptr;
}

}  // namespace lockstep::tests
