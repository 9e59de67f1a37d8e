#include <QApplication>

#include "tests/support/test_main.h"

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QApplication application(argc, argv);
  return lockstep::tests::runTests();
}
