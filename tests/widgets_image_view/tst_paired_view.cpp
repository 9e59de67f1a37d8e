#include <QAccessible>
#include <QLabel>
#include <QLineF>
#include <QTest>

#include "tests/support/test_main.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/loupe.h"
#include "widgets/image_view/paired_view.h"
#include "widgets/image_view/wipe_divider.h"

using namespace lockstep::widgets;

namespace {

std::shared_ptr<const DecodedImage> greyImage() {
  QImage picture(400, 200, QImage::Format_RGB32);
  picture.fill(qRgb(128, 128, 128));
  auto decoded = std::make_shared<DecodedImage>();
  decoded->levels = ImageLevels(picture);
  return decoded;
}

}  // namespace

class TstPairedView : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    view_ = std::make_unique<PairedView>();
    view_->setNames(QStringLiteral("A"), QStringLiteral("B"));
    view_->resize(804, 330);
    view_->setImage(greyImage());
    view_->show();
    QVERIFY(QTest::qWaitForWindowExposed(view_.get()));
  }

  void bothShowTheSamePartOfTheImage_data() {
    QTest::addColumn<bool>("bySecond");
    QTest::newRow("moved in the first") << false;
    QTest::newRow("moved in the second") << true;
  }
  void bothShowTheSamePartOfTheImage() {
    QFETCH(bool, bySecond);
    ImageCanvas* moved = bySecond ? view_->second() : view_->first();
    ImageCanvas* other = bySecond ? view_->first() : view_->second();
    QCOMPARE(moved->size(), other->size());
    moved->zoomBy(3);
    QTest::mousePress(moved, Qt::LeftButton, {}, {100, 100});
    QTest::mouseMove(moved, {60, 80});
    QTest::mouseMove(moved, {40, 70});
    QTest::mouseRelease(moved, Qt::LeftButton, {}, {40, 70});
    QCOMPARE(other->zoom(), moved->zoom());
    QCOMPARE(other->toImage({0, 0}), moved->toImage({0, 0}));
    QVERIFY(moved->toImage({0, 0}).x() > 0);
    QTest::mouseDClick(other, Qt::LeftButton, {}, {50, 50});
    QCOMPARE(moved->zoom(), other->zoom());
  }

  void bothMagnifiersAreAtTheSamePixel_data() {
    QTest::addColumn<PairedView::Mode>("mode");
    QTest::addColumn<bool>("inSecond");
    QTest::newRow("beside, in the first") << PairedView::Mode::SideBySide << false;
    QTest::newRow("beside, in the second") << PairedView::Mode::SideBySide << true;
    QTest::newRow("wipe, before the divider") << PairedView::Mode::Wipe << false;
    QTest::newRow("wipe, behind it") << PairedView::Mode::Wipe << true;
  }
  void bothMagnifiersAreAtTheSamePixel() {
    QFETCH(PairedView::Mode, mode);
    QFETCH(bool, inSecond);
    view_->setMode(mode);
    ImageCanvas* here = inSecond ? view_->second() : view_->first();
    ImageCanvas* there = inSecond ? view_->first() : view_->second();
    view_->toggleMagnifier();
    auto *own = here->findChild<Loupe*>(), *other = there->findChild<Loupe*>();
    QVERIFY(own && other && own->isVisible() && other->isVisible());
    QCOMPARE(own->pixel(), other->pixel());
    const QPointF at = here->toWidget({120.25, 60.25});
    QMouseEvent move(QEvent::MouseMove, at, here->mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                     Qt::NoModifier);
    QApplication::sendEvent(here, &move);
    QCOMPARE(own->pixel(), QPoint(120, 60));
    QCOMPARE(other->pixel(), QPoint(120, 60));
    QCOMPARE(other->geometry(), own->geometry());
    QCOMPARE(other->magnification(), own->magnification());
    here->setFocus();
    QTest::keyClick(here, Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(own->pixel(), QPoint(130, 60));
    QCOMPARE(other->pixel(), QPoint(130, 60));
    here->zoomBy(3);
    QCOMPARE(other->geometry(), own->geometry());
    QTest::keyClick(here, Qt::Key_Escape);
    QVERIFY(!own->isVisible() && !other->isVisible());
  }

  void dividerIsDraggedAndMovedByKeys() {
    view_->setMode(PairedView::Mode::Wipe);
    QCOMPARE(view_->first()->geometry(), view_->second()->geometry());
    auto* divider = view_->findChild<WipeDivider*>();
    QVERIFY(divider->isVisible());
    const QPoint middle = divider->rect().center();
    QTest::mousePress(divider, Qt::LeftButton, {}, middle);
    QMouseEvent move(QEvent::MouseMove, middle - QPoint(201, 0),
                     divider->mapToGlobal(middle - QPoint(201, 0)), Qt::NoButton, Qt::LeftButton,
                     Qt::NoModifier);
    QApplication::sendEvent(divider, &move);
    QVERIFY(std::abs(view_->dividerAt() - 0.25) < 0.01);
    QCOMPARE(view_->second()->mask().boundingRect().left(),
             static_cast<int>(std::lround(view_->dividerAt() * view_->first()->width())));
    const double before = view_->dividerAt();
    QTest::keyClick(divider, Qt::Key_Right);
    QVERIFY(view_->dividerAt() > before + 0.04);
    for (int i = 0; i < 30; ++i) QTest::keyClick(divider, Qt::Key_Right);
    QCOMPARE(view_->dividerAt(), 1.0);
    QVERIFY(!view_->second()->isVisible());  // all of it is the first
    QTest::keyClick(divider, Qt::Key_Left);
    QVERIFY(view_->second()->isVisible());
    QCOMPARE(QAccessible::queryAccessibleInterface(divider)->role(), QAccessible::Slider);
  }

  void theDividerDoesNotHideWhatIsLookedAt_data() {
    QTest::addColumn<bool>("inFirst");
    QTest::addColumn<bool>("inSecond");
    QTest::addColumn<int>("left");
    QTest::newRow("of A, behind the divider") << true << false << 300;
    QTest::newRow("of B, before it") << false << true << 40;
    QTest::newRow("of both, behind it") << true << true << 300;
    QTest::newRow("of A, before it") << true << false << 40;
  }
  void theDividerDoesNotHideWhatIsLookedAt() {
    QFETCH(bool, inFirst);
    QFETCH(bool, inSecond);
    QFETCH(int, left);
    view_->setMode(PairedView::Mode::Wipe);
    const QRectF box(left, 50, 60, 40);
    const auto here = std::optional(box);
    view_->uncover(inFirst ? here : std::nullopt, inSecond ? here : std::nullopt);
    const double divider = view_->dividerAt() * view_->first()->width();
    const double from = view_->first()->toWidget(box.topLeft()).x();
    const double to = view_->first()->toWidget(box.bottomRight()).x();
    if (inFirst && !inSecond) QVERIFY(divider >= to - 1);
    if (inSecond && !inFirst) QVERIFY(divider <= from + 1);
    if (inFirst && inSecond) QVERIFY(divider > from && divider < to);
    if (left == 40 && inFirst) QCOMPARE(view_->dividerAt(), 0.5);  // it need not move
  }

  void secondIsShownWhileTabIsHeld() {
    view_->setMode(PairedView::Mode::Blink);
    QVERIFY(!view_->second()->isVisible());
    view_->first()->setFocus();
    view_->first()->zoomBy(2);
    QTest::keyPress(view_->first(), Qt::Key_Tab);
    QVERIFY(view_->isSecondHeld());
    QVERIFY(view_->second()->isVisible());
    QCOMPARE(view_->second()->toImage({0, 0}), view_->first()->toImage({0, 0}));
    QVERIFY(view_->first()->hasFocus());
    QTest::keyRelease(view_->first(), Qt::Key_Tab);
    QVERIFY(!view_->isSecondHeld());
    QVERIFY(!view_->second()->isVisible());
  }

  void nameOfWhatIsShownIsShown() {
    const auto shown = [this] {
      QStringList names;
      for (const QLabel* name : view_->findChildren<QLabel*>())
        if (name->isVisible()) names << name->text();
      return names;
    };
    QCOMPARE(shown(), (QStringList{QStringLiteral("A"), QStringLiteral("B")}));
    view_->setMode(PairedView::Mode::Blink);
    QCOMPARE(shown(), QStringList{QStringLiteral("A")});
    QTest::keyPress(view_->first(), Qt::Key_Tab);
    QCOMPARE(shown(), QStringList{QStringLiteral("B")});
  }

  /// In another size and another mode, also of a view that is hidden meanwhile.
  void whatIsLookedAtStaysInTheMiddle() {
    const auto middleOf = [](const ImageCanvas* canvas) {
      return canvas->toImage(QRectF(canvas->rect()).center());
    };
    view_->first()->showBox({190, 90, 10, 10});
    QVERIFY(QLineF(middleOf(view_->first()), {195, 95}).length() < 1);
    view_->resize(1000, 500);
    view_->setMode(PairedView::Mode::Wipe);
    view_->hide();
    view_->resize(700, 300);
    view_->show();
    QVERIFY(QTest::qWaitForWindowExposed(view_.get()));
    view_->setMode(PairedView::Mode::SideBySide);
    for (const ImageCanvas* canvas : {view_->first(), view_->second()})
      QVERIFY2(QLineF(middleOf(canvas), {195, 95}).length() < 2,
               qPrintable(QString::number(middleOf(canvas).x())));
  }

  void viewIsTheSameAfterEveryChangeOfMode() {
    view_->first()->zoomBy(4);
    for (const auto mode :
         {PairedView::Mode::Wipe, PairedView::Mode::Blink, PairedView::Mode::SideBySide}) {
      view_->setMode(mode);
      QTest::keyPress(view_->first(), Qt::Key_Tab);
      QCOMPARE(view_->second()->toImage({5, 5}), view_->first()->toImage({5, 5}));
      QTest::keyRelease(view_->first(), Qt::Key_Tab);
    }
    QVERIFY(view_->second()->mask().isEmpty());
  }

 private:
  std::unique_ptr<PairedView> view_;
};

LOCKSTEP_TEST(TstPairedView)
#include "tst_paired_view.moc"
