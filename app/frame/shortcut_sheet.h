#pragma once

class QWidget;

namespace lockstep::app {

/// Shows a popup with the keys of all named actions of a window, until a click or a key press.
void showShortcutSheet(QWidget* window);

}  // namespace lockstep::app
