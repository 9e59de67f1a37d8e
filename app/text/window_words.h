#pragma once

#include <QString>
#include <string>

namespace lockstep::app {

/// Replaces shell commands that a message of the engine suggests with the menu entry or button that
/// does the same.
QString inWindowWords(const QString& message);
QString inWindowWords(const std::string& message);

}  // namespace lockstep::app
