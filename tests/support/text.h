#pragma once

#include <QString>

namespace lockstep::tests {

/// A literal as Qt has it.
inline QString text(const char* bytes) { return QString::fromUtf8(bytes); }

}  // namespace lockstep::tests
