#include <QTest>

#include "tests/support/pixels.h"
#include "tests/support/test_main.h"
#include "widgets/plots/run_legend.h"
#include "widgets/theme.h"

using namespace lockstep;
using widgets::RunLegend;

class TstRunLegend : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void itHasAtMostThreeLines() {
    RunLegend legend;
    legend.setRuns(runs(2));
    const int one = legend.heightForWidth(1000);
    legend.setRuns(runs(10));
    const int several = legend.heightForWidth(500);
    QVERIFY(several > one);
    legend.setRuns(runs(200));
    QCOMPARE(legend.heightForWidth(500), legend.heightForWidth(200));
    QVERIFY(legend.heightForWidth(500) < 3 * one + 30);
  }

  void everyRunIsDrawnInItsColour() {
    RunLegend legend;
    legend.setRuns(runs(6));
    legend.resize(900, legend.heightForWidth(900));
    const QImage image = legend.grab().toImage();
    for (int run = 0; run < 6; ++run) {
      const QColor color = widgets::runStyle(run, widgets::currentTheme()).color;
      QVERIFY2(tests::pixelsOf(image, color) > 5, qPrintable(color.name()));
    }
    QVERIFY(legend.toolTip().contains(QStringLiteral("run 5")));
  }

 private:
  static std::vector<RunLegend::Run> runs(int count) {
    std::vector<RunLegend::Run> made;
    for (int i = 0; i < count; ++i) made.push_back({QStringLiteral("run %1").arg(i), i});
    return made;
  }
};

LOCKSTEP_TEST(TstRunLegend)
#include "tst_run_legend.moc"
