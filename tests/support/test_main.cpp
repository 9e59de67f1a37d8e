#include "tests/support/test_main.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>
#include <cstdio>
#include <exception>
#include <map>

namespace lockstep::tests {
namespace {

std::map<QString, std::function<std::unique_ptr<QObject>()>>& registry() {
  static std::map<QString, std::function<std::unique_ptr<QObject>()>> tests;
  return tests;
}

/// An exception that leaves a test is a failure of it, not the end of the program.
int runUnit(QObject& unit, const QStringList& arguments) {
  try {
    return QTest::qExec(&unit, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "FAIL!  : exception: %s\n", error.what());
    return 1;
  }
}

}  // namespace

int registerTest(const char* file, std::function<std::unique_ptr<QObject>()> make) {
  QString unit = QFileInfo(QString::fromUtf8(file)).completeBaseName();
  registry()[unit.mid(4)] = std::move(make);  // tst_<unit>
  return 0;
}

int runTests() {
  QStringList arguments = QCoreApplication::arguments();
  const QString unit = arguments.size() > 1 && !arguments[1].startsWith(QLatin1Char('-'))
                           ? arguments.takeAt(1)
                           : QString();
  // Its crash handler has gdb read all of LibTorch's symbols: minutes.
  arguments << QStringLiteral("-nocrashhandler");
  // Trainings of other tests at the same time are not in the way of theirs.
  const QTemporaryDir locks;
  if (!qEnvironmentVariableIsSet("LOCKSTEP_LOCKS"))
    qputenv("LOCKSTEP_LOCKS", locks.path().toLocal8Bit());
  int failures = 0, run = 0;
  for (const auto& [name, make] : registry()) {
    if (!unit.isEmpty() && name != unit) continue;
    ++run;
    failures += runUnit(*make(), arguments);
  }
  if (run == 0) std::fprintf(stderr, "no test unit '%s' here\n", qPrintable(unit));
  return run == 0 || failures > 0;
}

}  // namespace lockstep::tests
