#pragma once

#include <QtGlobal>

namespace lockstep::tests {

/// True under `packaging/test.sh --all`: tests then run all rows and their long forms.
inline bool runsLongTests() { return !qEnvironmentVariableIsEmpty("LOCKSTEP_LONG_TESTS"); }

}  // namespace lockstep::tests
