#include <QTest>

#include "engine/config/resized_size.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using base::ImageSize;
using config::resizedSize;

class TstResizedSize : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sizesFollowTorchvision() {
    // scale = min(min / shorter, max / longer), then floor(side * scale)
    QVERIFY((resizedSize({480, 640}, 800, 1333) == ImageSize{800, 1066}));
    QVERIFY((resizedSize({640, 480}, 800, 1333) == ImageSize{1066, 800}));
    QVERIFY((resizedSize({333, 1000}, 800, 1333) == ImageSize{443, 1333}));
    QVERIFY((resizedSize({100, 100}, 256, 512) == ImageSize{256, 256}));
    QVERIFY((resizedSize({1, 5000}, 256, 512) == ImageSize{1, 512}));
  }
};

LOCKSTEP_TEST(TstResizedSize)
#include "tst_resized_size.moc"
