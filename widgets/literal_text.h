#pragma once

#include <QString>

namespace lockstep::widgets {

/// A text of a file for a button, a tab or a menu entry: an & there would not be shown, and make
/// the next letter a key.
inline QString literalText(QString text) { return text.replace(u'&', QStringLiteral("&&")); }

}  // namespace lockstep::widgets
