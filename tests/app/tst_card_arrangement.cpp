// Sizes and places of cards that a person chose.
#include <QMouseEvent>
#include <QTest>

#include "app/monitor/card_arrangement.h"
#include "app/monitor/card_sections.h"
#include "app/monitor/card_settings.h"
#include "tests/app/monitor_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::cardTitled;
using tests::MonitorBench;
using widgets::CurveCard;

namespace {

QStringList letters(const char* text) {
  QStringList all;
  for (const char* at = text; *at; ++at) all << QString(QLatin1Char(*at));
  return all;
}

}  // namespace

class TstCardArrangement : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cardsThatWereNotMovedStay() {
    QCOMPARE(app::inOrder(letters("abcde"), letters("db")), letters("adcbe"));
    QCOMPARE(app::inOrder(letters("abc"), letters("xcyac")), letters("cba"));
    QCOMPARE(app::moved(letters("abcd"), QStringLiteral("a"), QStringLiteral("c")),
             letters("bcad"));
    QCOMPARE(app::moved(letters("ab"), QStringLiteral("x"), QStringLiteral("a")), letters("ab"));
  }

  void sizesThatAreNoneAreIgnored() {
    std::vector<app::CardPlan> plans = app::monitorCards();
    app::setSizes(plans, {{QStringLiteral("train/loss_total"), QStringLiteral("4x1")},
                          {QStringLiteral("eval/segm/AP"), QStringLiteral("9x0")}});
    QCOMPARE(plans[0].columnSpan, 4);
    QCOMPARE(plans[0].rowSpan, 1);
    QCOMPARE(plans[1].columnSpan, 1);
    QCOMPARE(app::CardSettings::fromVariant(
                 app::CardSettings{.order = letters("ab"), .sizes = {{QStringLiteral("a"), 1}}}
                     .toVariant()),
             (app::CardSettings{.order = letters("ab"), .sizes = {{QStringLiteral("a"), 1}}}));
  }

  void sizeAndPlaceOfTheCardWithTheFocusAreChanged() {
    const MonitorBench bench(kSize);
    const app::CardSettings& settings = bench.page().cardSettings();
    CurveCard *mask = cardTitled(bench.page(), QStringLiteral("Mask AP")),
              *box = cardTitled(bench.page(), QStringLiteral("Box AP"));
    mask->plot()->setFocus();
    const int width = mask->width(), height = mask->height();
    bench.page().sections()->changeHeight();
    QTRY_VERIFY(mask->height() > height * 3 / 2);
    bench.page().sections()->changeWidth();
    QTRY_VERIFY(mask->width() > width * 3 / 2);
    QCOMPARE(settings.sizes.value(QStringLiteral("eval/segm/AP")).toString(),
             QStringLiteral("2x2"));
    box->plot()->setFocus();
    bench.page().sections()->moveBy(-1);
    QCOMPARE(settings.order.mid(0, 3),
             (QStringList{QStringLiteral("train/loss_total"), QStringLiteral("eval/bbox/AP"),
                          QStringLiteral("eval/segm/AP")}));
    bench.page().sections()->resetArrangement();
    QTRY_COMPARE(mask->width(), width);
    QVERIFY(settings.order.isEmpty() && settings.sizes.isEmpty());
  }

  void aCardIsDraggedByItsHead() {
    MonitorBench bench(kSize);
    CurveCard *mask = cardTitled(bench.page(), QStringLiteral("Mask AP")),
              *rate = cardTitled(bench.page(), QStringLiteral("Learning rate"));
    QTRY_VERIFY(rate->isVisible() && !rate->visibleRegion().isEmpty());
    const QPoint before = mask->mapTo(&bench.window(), QPoint());
    const QPoint head(90, 12);
    QTest::mousePress(rate, Qt::LeftButton, {}, head);
    const QPoint target = rate->mapFromGlobal(mask->mapToGlobal(mask->rect().center()));
    for (const QPoint& at : {head + QPoint(30, 0), target}) {
      QMouseEvent move(QEvent::MouseMove, at, rate->mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                       Qt::NoModifier);
      QCoreApplication::sendEvent(rate, &move);
    }
    QTest::mouseRelease(rate, Qt::LeftButton, {}, target);
    QTRY_COMPARE(rate->mapTo(&bench.window(), QPoint()), before);
    QCOMPARE(bench.page().cardSettings().order.value(1), QStringLiteral("solver/lr"));
  }

 private:
  static constexpr QSize kSize{1230, 720};
};

LOCKSTEP_TEST(TstCardArrangement)
#include "tst_card_arrangement.moc"
