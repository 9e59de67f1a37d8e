#pragma once

namespace lockstep::widgets {

/// Makes English the locale of numbers, and installs the plural forms of texts with a count,
/// tr("%n image(s)", "", count). Needs a QCoreApplication; call it once, before the first text.
void installLanguage();

}  // namespace lockstep::widgets
