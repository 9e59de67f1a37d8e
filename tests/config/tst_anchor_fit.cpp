#include <QTest>

#include "engine/config/anchor_fit.h"
#include "engine/config/value_text.h"
#include "tests/support/test_main.h"

using namespace lockstep;

class TstAnchorFit : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void suggestedAnchorsAreTwoDigitNumbers() {
    config::AugmentConfig augment;
    augment.minSize = {200};
    std::vector<config::AnnotatedBox> objects;
    for (int x = 0; x < 180; x += 20)
      objects.push_back({{200, 200}, {double(x), 70, 10, 58}, 580});  // 58 * 0.1 is not 5.8
    const config::AnchorConfig better = config::suggestedAnchors(objects, augment, {});
    QCOMPARE(config::writeNumbers(better.aspectRatios), std::string("[5.8]"));
    for (const double size : better.sizes)
      QVERIFY2(config::writeNumber(size).size() <= 5, config::writeNumbers(better.sizes).c_str());
  }
};

LOCKSTEP_TEST(TstAnchorFit)
#include "tst_anchor_fit.moc"
