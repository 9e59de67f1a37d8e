#pragma once

#include "widgets/theme.h"

namespace lockstep::widgets {

/// Figures are the same on every desktop, and at every resolution of the file: in pixels of theirs.
inline QFont figureFont(int sizePx, QFont::Weight weight = QFont::Normal) {
  QFont font = interfaceFont(sizePx, weight);
  font.setPixelSize(sizePx);
  return font;
}

}  // namespace lockstep::widgets
