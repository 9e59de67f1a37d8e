#pragma once

#include <QString>

namespace lockstep::widgets {

/// Escapes each & of a text for a button, tab or menu entry, where it would mark a mnemonic.
inline QString literalText(QString text) { return text.replace(u'&', QStringLiteral("&&")); }

/// Text for drawing, without effects of control characters that a file's name or content may have:
/// those that turn the direction of what follows become spaces without a width, others spaces.
/// Line feeds and tabs stay. Keeps the length, so that places of letters stay valid.
QString inertText(QString text);

}  // namespace lockstep::widgets
