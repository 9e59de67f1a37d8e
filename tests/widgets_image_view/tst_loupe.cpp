#include <QKeyEvent>
#include <QShortcut>
#include <QTest>
#include <memory>

#include "tests/support/test_main.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/loupe.h"

using namespace lockstep;
using namespace lockstep::widgets;

namespace {

constexpr QSize kPictureSize(400, 300);

QRgb colourOf(int x, int y) { return qRgb(x % 256, y % 256, (x * 3 + y * 5) % 256); }

std::shared_ptr<const DecodedImage> everyPixelDiffers() {
  QImage picture(kPictureSize, QImage::Format_RGB32);
  for (int y = 0; y < kPictureSize.height(); ++y)
    for (int x = 0; x < kPictureSize.width(); ++x) picture.setPixel(x, y, colourOf(x, y));
  return std::make_shared<const DecodedImage>(DecodedImage{ImageLevels(picture), {}, {}});
}

}  // namespace

class TstLoupe : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<ImageCanvas> canvas_;
  Loupe* loupe() { return canvas_->findChild<Loupe*>(); }
  /// The pointer is over a pixel of the image.
  void pointAt(QPoint pixel) {
    QTest::mouseMove(canvas_.get(),
                     canvas_->toWidget(QPointF(pixel) + QPointF(0.5, 0.5)).toPoint());
  }
  void press(int key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(canvas_.get(), static_cast<Qt::Key>(key), modifiers);
  }

 private Q_SLOTS:
  void init() {
    canvas_ = std::make_unique<ImageCanvas>();
    canvas_->resize(800, 600);  // 2 px per pixel
    canvas_->setImage(everyPixelDiffers());
    canvas_->show();
    QVERIFY(QTest::qWaitForWindowActive(canvas_.get()));
    canvas_->toggleMagnifier();
    QVERIFY(loupe()->isVisible());
  }
  void cleanup() { canvas_.reset(); }

  void itShowsThePixelsUnderThePointerAsSquares() {
    pointAt({123, 77});
    QCOMPARE(loupe()->pixel(), QPoint(123, 77));
    const int side = loupe()->magnification();
    QCOMPARE(side, 8);
    const QImage shown = loupe()->grab().toImage();
    const QPoint middle = loupe()->rect().center();
    for (int row = -4; row <= 4; ++row)
      for (int column = -9; column <= 9; ++column) {
        if (std::abs(row) + std::abs(column) <= 2) continue;  // beside the frame of the one meant
        QCOMPARE(shown.pixel(middle + QPoint(column, row) * side),
                 colourOf(123 + column, 77 + row));
      }
    QCOMPARE(shown.pixel(middle), colourOf(123, 77));
  }

  void itSaysPlaceAndColour() {
    pointAt({300, 20});
    const QString said = loupe()->spokenValue();
    QVERIFY2(said.contains(QStringLiteral("x 300  y 20")), qPrintable(said));
    QVERIFY2(said.contains(QStringLiteral("RGB 44 20 232")), qPrintable(said));
    QVERIFY2(said.contains(QStringLiteral("8 times")), qPrintable(said));
  }

  void arrowsMoveItByPixelsAndNotToOtherImages() {
    QShortcut next(Qt::Key_Right, canvas_.get());
    int nexts = 0;
    connect(&next, &QShortcut::activated, this, [&] { ++nexts; });
    pointAt({100, 100});
    press(Qt::Key_Right);
    press(Qt::Key_Down);
    QCOMPARE(loupe()->pixel(), QPoint(101, 101));
    press(Qt::Key_Left, Qt::ShiftModifier);
    press(Qt::Key_Up, Qt::ShiftModifier);
    QCOMPARE(loupe()->pixel(), QPoint(91, 91));
    for (int i = 0; i < 20; ++i) press(Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(loupe()->pixel(), QPoint(0, 91));  // within the image
    QCOMPARE(nexts, 0);
    press(Qt::Key_Escape);
    QVERIFY(!loupe()->isVisible());
    press(Qt::Key_Right);
    QCOMPARE(nexts, 1);
  }

  void theViewFollowsWhereThePixelLeavesIt() {
    canvas_->zoomBy(8);
    pointAt(canvas_->toImage({790, 300}).toPoint());
    const QPoint before = loupe()->pixel();
    for (int i = 0; i < 3; ++i) press(Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(loupe()->pixel(), before + QPoint(30, 0));
    QVERIFY(canvas_->rect().contains(canvas_->toWidget(loupe()->pixel()).toPoint()));
    QCOMPARE(loupe()->magnification(), 64);
    canvas_->zoomBy(0.1);  // it stays around its pixel
    const QPoint place = canvas_->toWidget(QPointF(loupe()->pixel()) + QPointF(0.5, 0.5)).toPoint();
    QVERIFY(loupe()->geometry().contains(place));
  }

  void itStaysWithinTheCanvas() {
    for (const QPoint corner : {QPoint(0, 0), QPoint(399, 0), QPoint(0, 299), QPoint(399, 299)}) {
      pointAt(corner);
      QCOMPARE(loupe()->pixel(), corner);
      QVERIFY(canvas_->rect().contains(loupe()->geometry()));
    }
  }

  void aSecondTimeHidesIt() {
    canvas_->toggleMagnifier();
    QVERIFY(!loupe()->isVisible());
    canvas_->setImage(nullptr);
    canvas_->toggleMagnifier();
    QVERIFY(!loupe()->isVisible());  // there is nothing to enlarge
  }
};

LOCKSTEP_TEST(TstLoupe)
#include "tst_loupe.moc"
