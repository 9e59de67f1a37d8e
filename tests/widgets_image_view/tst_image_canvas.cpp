#include <QAccessible>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <cmath>
#include <memory>

#include "tests/support/test_main.h"
#include "tests/widgets_image_view/made_images.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/theme.h"

using namespace lockstep;
using namespace lockstep::widgets;

namespace {

constexpr QSize kImageSize(100, 50);

/// A true positive at 10,10 and a missed object at 60,10, both 20 x 20 px, on grey.
struct Shown {
  std::shared_ptr<const coco::Dataset> dataset;
  std::shared_ptr<const DecodedImage> image;
  std::shared_ptr<const CanvasScene> scene;
};

Shown made(const std::vector<coco::Category>& categories = {{CategoryId{1}, "disc"}}) {
  const coco::Image image{ImageId{1}, "one.png", kImageSize.width(), kImageSize.height()};
  Shown shown;
  shown.dataset = std::make_shared<const coco::Dataset>(
      coco::Dataset::fromParts({image}, categories,
                               {tests::boxAnnotation(1, 1, 1, {10, 10, 20, 20}),
                                tests::boxAnnotation(2, 1, 1, {60, 10, 20, 20})},
                               "made"));
  SceneRequest request;
  request.dataset = shown.dataset;
  request.detections = std::make_shared<const std::vector<coco::Detection>>(
      std::vector<coco::Detection>{tests::boxDetection(image, 1, 0.9, {10, 10, 20, 20})});
  request.theme = &lightTheme();
  shown.scene = buildScene(request).scene;
  QImage picture(kImageSize, QImage::Format_RGB32);
  picture.fill(qRgb(128, 128, 128));
  auto decoded = std::make_shared<DecodedImage>();
  decoded->levels = ImageLevels(picture);
  shown.image = decoded;
  return shown;
}

void move(QWidget& widget, QPointF at, Qt::MouseButtons buttons = Qt::NoButton) {
  QMouseEvent event(QEvent::MouseMove, at, widget.mapToGlobal(at), Qt::NoButton, buttons,
                    Qt::NoModifier);
  QApplication::sendEvent(&widget, &event);
}

void wheel(QWidget& widget, QPointF at, int delta) {
  QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, Qt::NoModifier,
                    Qt::NoScrollPhase, false);
  QApplication::sendEvent(&widget, &event);
}

}  // namespace

class TstImageCanvas : public QObject {
  Q_OBJECT

 private:
  Shown shown_ = made();
  std::unique_ptr<ImageCanvas> canvas_;

  QColor at(QPointF imagePoint) {
    return canvas_->grab().toImage().pixelColor(canvas_->toWidget(imagePoint).toPoint());
  }

 private Q_SLOTS:
  void anotherPictureOfTheSameSizeIsDrawn() {
    const auto filled = [](QRgb colour) {
      QImage image(40, 30, QImage::Format_RGB32);
      image.fill(colour);
      return std::make_shared<const DecodedImage>(DecodedImage{ImageLevels(image), {}, {}});
    };
    ImageCanvas canvas;
    canvas.resize(200, 150);
    const auto centre = [&] { return canvas.grab().toImage().pixel(100, 75); };
    canvas.setImage(filled(qRgb(255, 0, 0)));
    QCOMPARE(centre(), qRgb(255, 0, 0));
    canvas.setImage(filled(qRgb(0, 255, 0)));
    QCOMPARE(centre(), qRgb(0, 255, 0));
    canvas.setImage(nullptr);
    QVERIFY(centre() != qRgb(0, 255, 0));
    canvas.setImage(filled(qRgb(0, 0, 255)));
    QCOMPARE(centre(), qRgb(0, 0, 255));
  }

  void init() {
    canvas_ = std::make_unique<ImageCanvas>();
    canvas_->resize(400, 300);
    canvas_->setImage(shown_.image);
    canvas_->setScene(shown_.scene);
  }

  void anImageFitsAndIsCentred() {
    QCOMPARE(canvas_->zoom(), 4.0);
    QCOMPARE(canvas_->toWidget({50, 25}), QPointF(200, 150));
    canvas_->resize(200, 300);
    canvas_->grab();
    QCOMPARE(canvas_->zoom(), 2.0);
  }

  void aScreenReaderIsToldWhatIsDrawnAndChosen() {
    QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(canvas_.get());
    QVERIFY(spoken);
    QCOMPARE(static_cast<int>(spoken->role()), static_cast<int>(QAccessible::Graphic));
    QCOMPARE(spoken->text(QAccessible::Name), QStringLiteral("Image"));
    const auto& instances = shown_.scene->instances;
    const QString counts = QStringLiteral("%1 instances, %2 of the ground truth")
                               .arg(instances.size())
                               .arg(shown_.scene->groundTruths.size());
    QCOMPARE(spoken->text(QAccessible::Value), counts);
    canvas_->setPinned(0);
    QCOMPARE(spoken->text(QAccessible::Value), counts + QStringLiteral("; chosen: ") +
                                                   instances[0].className + QLatin1Char(' ') +
                                                   instances[0].label);
    canvas_->setScene(nullptr);
    QCOMPARE(spoken->text(QAccessible::Value), QStringLiteral("no image"));
  }

  void theWheelKeepsThePointUnderThePointer() {
    const QPointF pointer(120, 140);
    const QPointF before = canvas_->toImage(pointer);
    wheel(*canvas_, pointer, 360);
    QVERIFY(canvas_->zoom() > 7.0);
    // To half a pixel of the screen, on which the image lies sharp.
    QVERIFY(QLineF(canvas_->toImage(pointer), before).length() * canvas_->zoom() < 0.75);
    canvas_->fit();
    QCOMPARE(canvas_->zoom(), 4.0);
  }

  void draggingMovesTheImageAndDoubleClickFits() {
    wheel(*canvas_, {200, 150}, 480);
    const QPointF before = canvas_->toImage({200, 150});
    QTest::mousePress(canvas_.get(), Qt::MiddleButton, {}, {200, 150});
    move(*canvas_, {170, 150}, Qt::MiddleButton);
    QTest::mouseRelease(canvas_.get(), Qt::MiddleButton, {}, {170, 150});
    QVERIFY(canvas_->toImage({200, 150}).x() > before.x());
    QTest::mouseDClick(canvas_.get(), Qt::LeftButton, {}, {200, 150});
    QCOMPARE(canvas_->zoom(), 4.0);
  }

  void masksAreLaidOverTheImageInTheirColour() {
    canvas_->setLayers({true, true, false, false});
    const QColor outside = at({45, 40}), found = at({20, 20}), missed = at({70, 20});
    QCOMPARE(outside, QColor(128, 128, 128));
    QVERIFY(found.blue() > found.red() + 20);    // true positive: blue
    QVERIFY(missed.red() > missed.blue() + 10);  // missed: yellow
    canvas_->setLayers({false, false, false, false});
    QCOMPARE(at({20, 20}), QColor(128, 128, 128));
  }

  void fillsFadeDownToOutlines() {
    const QColor ground(128, 128, 128);
    CanvasLayers layers{false, true, false, false};
    canvas_->setLayers(layers);
    const QColor full = at({20, 20});
    layers.fillPercent = 40;
    canvas_->setLayers(layers);
    const QColor faint = at({20, 20});
    // 40 % of the way from the picture to the strong fill.
    QVERIFY(std::abs(faint.blue() - (128 + 0.4 * (full.blue() - 128))) <= 1.5);
    layers.fillPercent = 0;
    canvas_->setLayers(layers);
    QCOMPARE(at({20, 20}), ground);
    QVERIFY(at({10, 20}) != ground);  // the outline stays
  }

  void crowdRegionsAreALayerOfTheirOwn() {
    const QColor ground(128, 128, 128);
    auto scene = std::make_shared<CanvasScene>();
    scene->imageSize = kImageSize;
    scene->groundTruths = {{{}, {60, 10, 20, 20}, {}, true, false}};
    canvas_->setScene(scene);
    CanvasLayers layers{false, false, true, false};
    const auto hasStroke = [&] {
      canvas_->setLayers(layers);
      const QImage shown = canvas_->grab().toImage();
      const QPoint corner = canvas_->toWidget({60, 10}).toPoint();
      return shown.pixelColor(corner + QPoint(3, 0)) != ground;
    };
    QVERIFY(hasStroke());
    layers.crowds = false;
    QVERIFY(!hasStroke());
    layers.groundTruth = true;
    QVERIFY(!hasStroke());
  }

  void missedObjectsAreHiddenWithTheGroundTruth() {
    const QColor ground(128, 128, 128);
    const auto missed = [this] {
      return canvas_->grab().toImage().copy(
          QRect(canvas_->toWidget({56, 6}).toPoint(), canvas_->toWidget({94, 44}).toPoint()));
    };
    canvas_->setLayers({true, true, true, true});
    const QImage with = missed();
    canvas_->setLayers({false, true, true, true});
    QImage plain(with.size(), QImage::Format_RGB32);
    plain.fill(ground);
    QCOMPARE(missed().convertToFormat(QImage::Format_RGB32), plain);
    QVERIFY(at({20, 20}) != ground);  // the true positive stays
    QSignalSpy hovered(canvas_.get(), &ImageCanvas::instanceHovered);
    move(*canvas_, canvas_->toWidget({70, 20}));
    QCOMPARE(hovered.size(), 0);
    canvas_->setLayers({true, true, true, true});
    QCOMPARE(missed(), with);
  }

  void outlinesAreAtTheBoxes() {
    canvas_->setLayers({false, false, true, false});
    QVERIFY(at({10, 20}) != QColor(128, 128, 128));
    QCOMPARE(at({20, 20}), QColor(128, 128, 128));
    canvas_->setLayers({true, true, false, false});
    const QColor truth = at({60, 20});
    QVERIFY(truth != QColor(128, 128, 128));
  }

  void labelsNameTheClassWhereThereAreSeveral() {
    canvas_->setLayers({false, false, false, true});
    canvas_->fit();
    const QImage one = canvas_->grab().toImage();
    const Shown several = made({{CategoryId{1}, "disc"}, {CategoryId{2}, "star"}});
    canvas_->setScene(several.scene);
    const QImage named = canvas_->grab().toImage();
    QVERIFY(named != one);
    canvas_->setScene(made({{CategoryId{1}, "dart"}, {CategoryId{2}, "star"}}).scene);
    QVERIFY(canvas_->grab().toImage() != named);
    for (int i = 0; i < 4; ++i) canvas_->zoomBy(0.7);  // the objects are narrower than their names
    const QImage small = canvas_->grab().toImage();
    canvas_->setScene(several.scene);
    QCOMPARE(canvas_->grab().toImage(), small);
  }

  void aNameIsWiderThanItsObjectWhereThereIsRoom() {
    canvas_->setLayers({false, false, false, true});
    for (int i = 0; i < 3; ++i) canvas_->zoomBy(0.7);  // the objects are narrower than their names
    canvas_->setScene(made({{CategoryId{1}, "disc"}, {CategoryId{2}, "star"}}).scene);
    const QImage disc = canvas_->grab().toImage();
    canvas_->setScene(made({{CategoryId{1}, "dart"}, {CategoryId{2}, "star"}}).scene);
    QVERIFY(canvas_->grab().toImage() != disc);
  }

  /// Two objects of one place: the second name would lie on the first.
  void aNameLiesOnNoOtherLabel() {
    canvas_->setLayers({false, false, false, true});
    const auto labelled = [this](const std::string& second) {
      auto scene = std::make_shared<CanvasScene>(
          *made({{CategoryId{1}, "disc"}, {CategoryId{2}, "star"}}).scene);
      scene->instances[1] = scene->instances[0];
      scene->instances[1].className = QString::fromStdString(second);
      canvas_->setScene(scene);
      return canvas_->grab().toImage();
    };
    QCOMPARE(labelled("cat"), labelled("hippopotamus"));
  }

  void aBoxThatIsShownStaysSoInAViewOfAnotherSize() {
    const QRectF box(60, 10, 20, 20);
    const auto share = [&] {
      return 20 * canvas_->zoom() / std::min(canvas_->width(), canvas_->height());
    };
    canvas_->showBox(box);
    const double shown = share();
    canvas_->resize(240, 320);
    canvas_->grab();
    QVERIFY2(std::abs(share() - shown) < 0.01, qPrintable(QString::number(share())));
    QVERIFY(QRectF(canvas_->rect()).contains(canvas_->toWidget(box.center())));
    canvas_->zoomBy(0.5);  // that is looked at now
    const double chosen = canvas_->zoom();
    canvas_->resize(400, 300);
    canvas_->grab();
    QCOMPARE(canvas_->zoom(), chosen);
  }

  void noPixelIsToldOfWhereThePointerIsNoMore() {
    canvas_->show();
    std::optional<QPoint> told;
    connect(canvas_.get(), &ImageCanvas::pixelPointedAt, this,
            [&](std::optional<QPoint> pixel) { told = pixel; });
    const auto pointAgain = [&] {
      move(*canvas_, canvas_->toWidget({20, 20}));
      QVERIFY(told.has_value());
    };
    pointAgain();
    canvas_->resize(300, 200);
    QTRY_VERIFY(!told);
    pointAgain();
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(canvas_.get(), &leave);
    QVERIFY(!told);
    pointAgain();
    canvas_->hide();
    QVERIFY(!told);
  }

  void objectsOfAnImageThatWasNotPredictedAreNamed() {
    auto unpredicted = std::make_shared<CanvasScene>(
        *made({{CategoryId{1}, "disc"}, {CategoryId{2}, "star"}}).scene);
    unpredicted->instances.clear();
    canvas_->setLayers({true, false, false, false});
    canvas_->setScene(unpredicted);
    const QImage without = canvas_->grab().toImage();
    canvas_->setLayers({true, false, false, true});
    QVERIFY(canvas_->grab().toImage() != without);
  }

  void theInstanceUnderThePointerIsHighlighted() {
    QSignalSpy hovered(canvas_.get(), &ImageCanvas::instanceHovered);
    const QImage before = canvas_->grab().toImage();
    move(*canvas_, canvas_->toWidget({20, 20}));
    QCOMPARE(hovered.size(), 1);
    const int instance = hovered.last()[0].toInt();
    QCOMPARE(shown_.scene->instances[static_cast<std::size_t>(instance)].facts.verdict,
             Verdict::TruePositive);
    QVERIFY(canvas_->grab().toImage() != before);
    move(*canvas_, canvas_->toWidget({45, 40}));
    QCOMPARE(hovered.last()[0].toInt(), -1);
  }

  void aClickPinsAndASecondOneUnpins() {
    QSignalSpy pinned(canvas_.get(), &ImageCanvas::instancePinned);
    const QPoint place = canvas_->toWidget({70, 20}).toPoint();
    QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, place);
    QCOMPARE(pinned.size(), 1);
    QCOMPARE(shown_.scene->instances[static_cast<std::size_t>(canvas_->pinned())].facts.verdict,
             Verdict::Missed);
    canvas_->setScene(made().scene);  // the same instances again, as after a change of a slider
    QVERIFY(canvas_->pinned() >= 0);
    QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, place);
    QCOMPARE(canvas_->pinned(), -1);
  }

  void spaceThatIsReleasedElsewhereNoLongerPans() {
    const QPoint place = canvas_->toWidget({70, 20}).toPoint();
    QTest::keyPress(canvas_.get(), Qt::Key_Space);
    QFocusEvent away(QEvent::FocusOut);
    QApplication::sendEvent(canvas_.get(), &away);
    QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, place);
    QVERIFY(canvas_->pinned() >= 0);
  }

  void revealBringsAnInstanceIntoView() {
    wheel(*canvas_, canvas_->toWidget({95, 45}), 1200);
    const int instance = 0;
    const QRectF box = shown_.scene->instances[0].box;
    QVERIFY(!QRectF(canvas_->rect()).contains(canvas_->toWidget(box.center())));
    canvas_->reveal(instance);
    QVERIFY(QRectF(canvas_->rect()).contains(canvas_->toWidget(box.center())));
  }

  void anEmptyCanvasAcceptsEveryCall() {
    ImageCanvas canvas;
    canvas.resize(100, 100);
    canvas.grab();
    wheel(canvas, {50, 50}, 120);
    move(canvas, {50, 50});
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, {50, 50});
    canvas.reveal(3);
    canvas.setPinned(3);
    QCOMPARE(canvas.pinned(), -1);
  }
};

LOCKSTEP_TEST(TstImageCanvas)
#include "tst_image_canvas.moc"
