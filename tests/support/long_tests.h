#pragma once

#include <QtGlobal>

namespace lockstep::tests {

/// Whether `packaging/test.sh --all` runs the tests, with all rows and the long forms.
inline bool runsLongTests() { return !qEnvironmentVariableIsEmpty("LOCKSTEP_LONG_TESTS"); }

}  // namespace lockstep::tests
