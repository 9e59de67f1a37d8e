#pragma once

class QKeyEvent;

namespace lockstep::widgets {

/// Without Ctrl, Alt, Shift or Meta.
bool isUnmodified(const QKeyEvent& event);
/// An arrow, a page key, Home or End, unmodified: what moves within a widget.
bool isMoveKey(const QKeyEvent& event);

}  // namespace lockstep::widgets
