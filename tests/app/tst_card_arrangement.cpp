// Sizes and places of cards that a person chose.
#include <QMouseEvent>
#include <QTemporaryDir>
#include <QTest>

#include "app/frame/main_window.h"
#include "app/models/card_arrangement.h"
#include "app/models/card_settings.h"
#include "app/monitor/card_sections.h"
#include "app/monitor/monitor_page.h"
#include "tests/app/made_run.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/plots/curve_card.h"

using namespace lockstep;
using app::MainWindow;
using widgets::CurveCard;

namespace {

QStringList letters(const char* text) {
  QStringList all;
  for (const char* at = text; *at; ++at) all << QString(QLatin1Char(*at));
  return all;
}

struct Shown {
  QTemporaryDir parent;
  std::unique_ptr<MainWindow> window;

  explicit Shown(widgets::ThemeSwitch& theme) {
    window = std::make_unique<MainWindow>(
        &theme, tests::optionsFor({tests::makeRun(parent.path(), tests::MadeRun())}));
    window->resize(1500, 900);
    window->show();
    QVERIFY(QTest::qWaitFor([this] { return window->isReady(); }));
  }
  CurveCard* card(const char* title) const {
    for (CurveCard* card : window->monitorPage()->cards())
      if (card->title() == QLatin1String(title)) return card;
    return nullptr;
  }
  const app::CardSettings& settings() const { return window->monitorPage()->cardSettings(); }
};

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
    QCOMPARE(
        app::CardSettings::fromVariant(
            app::CardSettings{{}, {}, {}, letters("ab"), {{QStringLiteral("a"), 1}}}.toVariant()),
        (app::CardSettings{{}, {}, {}, letters("ab"), {{QStringLiteral("a"), 1}}}));
  }

  void keysChangeSizeAndPlaceOfTheCardWithTheFocus() {
    const Shown shown(theme_);
    CurveCard *mask = shown.card("Mask AP"), *box = shown.card("Box AP");
    mask->plot()->setFocus();
    const int width = mask->width(), height = mask->height();
    QTest::keyClick(mask->plot(), Qt::Key_H);
    QTRY_VERIFY(mask->height() > height * 3 / 2);
    QTest::keyClick(mask->plot(), Qt::Key_W);
    QTRY_VERIFY(mask->width() > width * 3 / 2);
    QCOMPARE(shown.settings().sizes.value(QStringLiteral("eval/segm/AP")).toString(),
             QStringLiteral("2x2"));
    box->plot()->setFocus();
    QTest::keyClick(box->plot(), Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(shown.settings().order.mid(0, 3),
             (QStringList{QStringLiteral("train/loss_total"), QStringLiteral("eval/bbox/AP"),
                          QStringLiteral("eval/segm/AP")}));
    shown.window->monitorPage()->sections()->resetArrangement();
    QTRY_COMPARE(mask->width(), width);
    QVERIFY(shown.settings().order.isEmpty() && shown.settings().sizes.isEmpty());
  }

  void aCardIsDraggedByItsHead() {
    const Shown shown(theme_);
    CurveCard *mask = shown.card("Mask AP"), *rate = shown.card("Learning rate");
    QTRY_VERIFY(rate->isVisible() && !rate->visibleRegion().isEmpty());
    const QPoint before = mask->mapTo(shown.window.get(), QPoint());
    const QPoint head(90, 12);
    QTest::mousePress(rate, Qt::LeftButton, {}, head);
    const QPoint target = rate->mapFromGlobal(mask->mapToGlobal(mask->rect().center()));
    for (const QPoint& at : {head + QPoint(30, 0), target}) {
      QMouseEvent move(QEvent::MouseMove, at, rate->mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                       Qt::NoModifier);
      QCoreApplication::sendEvent(rate, &move);
    }
    QTest::mouseRelease(rate, Qt::LeftButton, {}, target);
    QTRY_COMPARE(rate->mapTo(shown.window.get(), QPoint()), before);
    QCOMPARE(shown.settings().order.value(1), QStringLiteral("solver/lr"));
  }

 private:
  widgets::ThemeSwitch theme_;
};

LOCKSTEP_TEST(TstCardArrangement)
#include "tst_card_arrangement.moc"
