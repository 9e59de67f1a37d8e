#pragma once

#include <QObject>
#include <functional>
#include <memory>

namespace lockstep::tests {

/// Adds a test class to this program; `file` is its tst_<unit>.cpp, whose unit names it on the
/// command line.
int registerTest(const char* file, std::function<std::unique_ptr<QObject>()> make);

/// PROGRAM [UNIT] [Qt Test's options]: one unit, or all of them. Returns the exit code. Needs a
/// QCoreApplication.
int runTests();

}  // namespace lockstep::tests

/// At the end of a tst_<unit>.cpp: the class becomes the ctest FOLDER.<unit>.
#define LOCKSTEP_TEST(Class)                                                  \
  static const int lockstepRegistered##Class = lockstep::tests::registerTest( \
      __FILE__, []() -> std::unique_ptr<QObject> { return std::make_unique<Class>(); });
