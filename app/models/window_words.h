#pragma once

#include <QString>
#include <string>

namespace lockstep::app {

/// A message of the engine as the window says it: where it names a command of the shell as the
/// remedy, the entry of a menu or the button that does the same.
QString inWindowWords(const QString& message);
QString inWindowWords(const std::string& message);

}  // namespace lockstep::app
