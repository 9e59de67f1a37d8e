#include <QTest>

#include "tests/support/test_main.h"
#include "widgets/plots/card_legend.h"

using namespace lockstep;
using widgets::CardLegend;

class TstCardLegend : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void namesMoveCloserBeforeOneIsLeftOut() {
    CardLegend legend;
    std::vector<widgets::Curve> curves(2);
    curves[0].name = QStringLiteral("train");
    curves[1].name = QStringLiteral("held-out");
    legend.setCurves(curves);
    const QStringList both{curves[0].name, curves[1].name};
    const auto shownAt = [&](int width) {
      legend.resize(width, legend.height());
      return legend.shownNames();
    };
    const int wide = legend.sizeHint().width();
    QCOMPARE(shownAt(wide), both);
    QCOMPARE(shownAt(wide - 40), both);
    QCOMPARE(shownAt(wide - 60), QStringList{curves[0].name});
    QVERIFY(shownAt(20).isEmpty());
  }
};

LOCKSTEP_TEST(TstCardLegend)
#include "tst_card_legend.moc"
