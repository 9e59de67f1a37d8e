#pragma once

class QWidget;

namespace lockstep::app {

/// Shows every key of the window over its middle, until a click or a key.
void showShortcutSheet(QWidget* window);

}  // namespace lockstep::app
