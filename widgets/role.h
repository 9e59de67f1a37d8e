#pragma once

class QWidget;

namespace lockstep::widgets {

/// What a widget is, where its class does not say it:
///   QLabel: heading (bold), section (small, bold, muted), given (bold), muted, faint, mono, error,
///   warning, good; QFrame: card, panel, divider; QWidget: panel; QPushButton and QToolButton:
///   primary, danger, quiet (no frame until hovered), small (likewise, in a small font), icon
///   (likewise, without padding), link; QTabBar: small. Empty: none.
void setRole(QWidget* widget, const char* role);

/// Gives a widget the colours of its class and role in currentTheme(): when it is first shown, and
/// after a change of theme. What paints itself needs none.
void applyRole(QWidget* widget);

}  // namespace lockstep::widgets
