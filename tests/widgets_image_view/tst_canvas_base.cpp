#include <QPainter>
#include <QTest>

#include "tests/support/test_main.h"
#include "widgets/image_view/canvas_base.h"

using namespace lockstep;
using widgets::CanvasBase;

namespace {

constexpr QSize kSize(600, 500);

/// Different at every pixel, and of each picture.
QColor colourAt(int x, int y, int picture) { return {x % 256, y % 256, picture}; }

/// Draws a picture, moved, pixel by pixel.
class Drawing {
 public:
  CanvasBase::Draw of(int picture, QPoint moved = {}) {
    return [this, picture, moved](QPainter& painter, const QRectF& area) {
      parts.push_back(area);
      for (int y = int(area.top()); y < area.bottom(); ++y)
        for (int x = int(area.left()); x < area.right(); ++x)
          painter.fillRect(x, y, 1, 1, colourAt(x - moved.x() + 256, y - moved.y() + 256, picture));
    };
  }
  std::vector<QRectF> parts;
};

struct Painted {
  QImage picture{kSize, QImage::Format_RGB32};
  bool isComplete = false;
};
Painted paint(CanvasBase& base, const CanvasBase::Draw& draw,
              std::chrono::milliseconds atMost = std::chrono::milliseconds::max()) {
  Painted painted;
  QPainter painter(&painted.picture);
  painted.isComplete = base.paintOn(painter, kSize, 1, draw, atMost);
  return painted;
}

}  // namespace

class TstCanvasBase : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatTakesLongIsDrawnInSeveralFramesOverWhatWasThere() {
    CanvasBase base;
    Drawing drawing;
    const Painted first = paint(base, drawing.of(1), std::chrono::milliseconds(0));
    QVERIFY(first.isComplete);  // there was nothing to be shown meanwhile
    base.drop();
    Painted frame;
    int frames = 0, olds = 0;
    do {
      drawing.parts.clear();
      frame = paint(base, drawing.of(2), std::chrono::milliseconds(0));
      QCOMPARE(drawing.parts.size(), std::size_t{1});  // always something
      ++frames;
      olds += frame.picture.pixelColor(599, 499) == first.picture.pixelColor(599, 499);
    } while (!frame.isComplete && frames < 100);
    QCOMPARE(frames, 6);  // squares of 256 px
    QCOMPARE(olds, 5);
    CanvasBase other;
    QCOMPARE(frame.picture, paint(other, drawing.of(2)).picture);
    drawing.parts.clear();
    QVERIFY(paint(base, drawing.of(2)).isComplete);
    QVERIFY(drawing.parts.empty());
  }

  void onlyAPartIsDrawnAnew() {
    CanvasBase base;
    Drawing drawing;
    paint(base, drawing.of(1));
    drawing.parts.clear();
    base.drop(QRectF(100.2, 50, 10, 20));
    const QImage shown = paint(base, drawing.of(2)).picture;
    QCOMPARE(drawing.parts, (std::vector<QRectF>{QRectF(100, 50, 11, 20)}));
    QCOMPARE(shown.pixelColor(105, 60).blue(), 2);
    QCOMPARE(shown.pixelColor(99, 60).blue(), 1);
    QCOMPARE(shown.pixelColor(111, 60).blue(), 1);
  }

  void whatIsMovedWhileItIsIncompleteIsCompletedInItsNewPlace() {
    CanvasBase base;
    Drawing drawing;
    paint(base, drawing.of(1));
    base.drop();
    QVERIFY(!paint(base, drawing.of(2), std::chrono::milliseconds(0)).isComplete);
    base.moveBy({-30, 40});
    const Painted moved = paint(base, drawing.of(2, {-30, 40}));
    CanvasBase other;
    QCOMPARE(moved.picture, paint(other, drawing.of(2, {-30, 40})).picture);
  }

  void aStretchedPictureIsShownUntilItIsDrawn() {
    CanvasBase base;
    Drawing drawing;
    const QImage before = paint(base, drawing.of(1)).picture;
    base.stretch(QTransform::fromScale(0.5, 0.5), Qt::red);
    const Painted frame = paint(base, drawing.of(2), std::chrono::milliseconds(0));
    QVERIFY(!frame.isComplete);
    QCOMPARE(frame.picture.pixelColor(590, 490), QColor(Qt::red));
    const QColor stretched = frame.picture.pixelColor(280, 200), was = before.pixelColor(560, 400);
    QVERIFY(std::abs(stretched.red() - was.red()) <= 2);
    QVERIFY(std::abs(stretched.green() - was.green()) <= 2);
    QCOMPARE(frame.picture.pixelColor(10, 10).blue(), 2);
    CanvasBase other;
    QCOMPARE(paint(base, drawing.of(2)).picture, paint(other, drawing.of(2)).picture);
  }
};

LOCKSTEP_TEST(TstCanvasBase)
#include "tst_canvas_base.moc"
