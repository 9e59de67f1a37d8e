#include <QCoreApplication>

#include "tests/support/test_main.h"

int main(int argc, char** argv) {
  const QCoreApplication application(argc, argv);
  return lockstep::tests::runTests();
}
