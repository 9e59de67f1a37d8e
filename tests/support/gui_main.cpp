#include <QApplication>

#include "tests/support/test_main.h"
#include "widgets/language.h"

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QApplication application(argc, argv);
  lockstep::widgets::installLanguage();
  return lockstep::tests::runTests();
}
