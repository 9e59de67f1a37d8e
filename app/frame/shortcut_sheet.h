#pragma once

class QWidget;

namespace lockstep::app {

/// Shows a popup with all keyboard shortcuts, until a click or a key press.
void showShortcutSheet(QWidget* window);

}  // namespace lockstep::app
