#pragma once

#include <QString>

namespace lockstep::widgets {

/// Escapes each & of a text for a button, tab or menu entry, where it would mark a mnemonic.
inline QString literalText(QString text) { return text.replace(u'&', QStringLiteral("&&")); }

}  // namespace lockstep::widgets
