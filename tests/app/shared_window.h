#pragma once

#include <QStringList>
#include <QTemporaryDir>
#include <memory>
#include <optional>

#include "app/frame/main_window.h"
#include "widgets/theme.h"

namespace lockstep::tests {

/// The window that the tests of a class share: each shows what it needs. What is about the start,
/// the end or the settings of a window needs one of its own.
class SharedWindow {
 public:
  static constexpr QSize kSize{1400, 900};

  /// Shows runs, folders of runs and experiments as a new window does, and nothing else, and waits
  /// until its page is ready. Of a folder, the newest run is selected.
  app::MainWindow& show(const QStringList& paths, std::optional<app::Page> page = {});
  /// As the last test left it.
  app::MainWindow& window();
  widgets::ThemeSwitch& theme() { return theme_; }

 private:
  void clear();
  void select(const QStringList& runs);

  QTemporaryDir nothing_;
  widgets::ThemeSwitch theme_;
  std::unique_ptr<app::MainWindow> window_;
};

}  // namespace lockstep::tests
