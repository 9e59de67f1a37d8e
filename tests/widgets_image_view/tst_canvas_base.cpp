#include <QPainter>
#include <QTest>

#include "tests/support/test_main.h"
#include "widgets/image_view/canvas_base.h"

using namespace lockstep;
using widgets::CanvasBase;
using widgets::CanvasView;

namespace {

constexpr QSize kCanvasSize(600, 500);

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

/// A picture of 2000 x 2000 px, moved.
CanvasView viewAt(QPoint moved = {}, double scale = 1) {
  return {
      kCanvasSize, 1, QTransform(scale, 0, 0, scale, moved.x(), moved.y()), {2000, 2000}, Qt::red};
}

struct Painted {
  QImage picture{kCanvasSize, QImage::Format_RGB32};
  bool isComplete = false;
};
Painted paint(CanvasBase& base, const CanvasBase::Draw& draw, const CanvasView& view = viewAt(),
              std::chrono::milliseconds atMost = std::chrono::milliseconds::max()) {
  Painted painted;
  QPainter painter(&painted.picture);
  painted.isComplete = base.paintOn(painter, view, draw, atMost);
  return painted;
}

constexpr std::chrono::milliseconds kNoTime{0};

}  // namespace

class TstCanvasBase : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatTakesLongIsDrawnInSeveralFramesOverWhatWasThere() {
    CanvasBase base;
    Drawing drawing;
    const Painted first = paint(base, drawing.of(1), viewAt(), kNoTime);
    QVERIFY(first.isComplete);  // there was nothing to be shown meanwhile
    base.drop();
    Painted frame;
    int frames = 0, olds = 0;
    do {
      drawing.parts.clear();
      frame = paint(base, drawing.of(2), viewAt(), kNoTime);
      QCOMPARE(drawing.parts.size(), std::size_t{1});  // always something
      ++frames;
      olds += frame.picture.pixelColor(599, 499) == first.picture.pixelColor(599, 499);
    } while (!frame.isComplete && frames < 100);
    QCOMPARE(frames, 6);  // tiles of 256 px
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
    paint(base, drawing.of(1, {10, 0}), viewAt({10, 0}));
    drawing.parts.clear();
    base.drop(QRectF(90.2, 50, 10, 20));
    const QImage shown = paint(base, drawing.of(2, {10, 0}), viewAt({10, 0})).picture;
    QCOMPARE(drawing.parts, (std::vector<QRectF>{QRectF(100, 50, 11, 20)}));
    QCOMPARE(shown.pixelColor(105, 60).blue(), 2);
    QCOMPARE(shown.pixelColor(99, 60).blue(), 1);
    QCOMPARE(shown.pixelColor(111, 60).blue(), 1);
  }

  /// Rounding would have it reach into all tiles around it.
  void aTileOfThePictureMakesNoOtherStale() {
    constexpr double kScale = 1.0 / 3;
    CanvasBase base;
    Drawing drawing;
    paint(base, drawing.of(1), viewAt({-1, -2}, kScale));
    drawing.parts.clear();
    constexpr double kSide = CanvasBase::kTilePx / kScale;
    base.drop(QRectF(kSide, kSide, kSide, kSide));
    paint(base, drawing.of(2), viewAt({-1, -2}, kScale));
    QCOMPARE(drawing.parts, (std::vector<QRectF>{QRectF(255, 254, 256, 256)}));
  }

  void whatIsMovedWhileItIsIncompleteIsCompletedInItsNewPlace() {
    constexpr QPoint kMoved(-30, 40);
    CanvasBase base;
    Drawing drawing;
    paint(base, drawing.of(1));
    base.drop();
    QVERIFY(!paint(base, drawing.of(2), viewAt(), kNoTime).isComplete);
    const Painted moved = paint(base, drawing.of(2, kMoved), viewAt(kMoved));
    CanvasBase other;
    QCOMPARE(moved.picture, paint(other, drawing.of(2, kMoved), viewAt(kMoved)).picture);
  }

  void movingDrawsOnlyTilesThatComeIntoView() {
    CanvasBase base;
    Drawing drawing;
    paint(base, drawing.of(1));  // three columns of two tiles, to 768 x 512
    drawing.parts.clear();
    paint(base, drawing.of(1, {-160, 0}), viewAt({-160, 0}));
    QVERIFY(drawing.parts.empty());
    paint(base, drawing.of(1, {-170, 0}), viewAt({-170, 0}));
    QCOMPARE(drawing.parts.size(), std::size_t{2});
  }

  void whatLiesBesideTheViewIsDrawnAheadATileAtATime() {
    constexpr QPoint kMoved(-300, -300);
    CanvasBase base, other;
    Drawing drawing;
    paint(base, drawing.of(1, kMoved), viewAt(kMoved));
    drawing.parts.clear();
    int ahead = 0;
    while (base.drawAhead(drawing.of(1, kMoved)) && ahead < 100) ++ahead;
    QVERIFY(ahead > 0 && ahead < 100);
    QCOMPARE(drawing.parts.size(), std::size_t(ahead));
    for (const QPoint by : {QPoint(256, 256), QPoint(-256, 256), QPoint(-256, -256)}) {
      drawing.parts.clear();
      CanvasBase copy = base;
      const QPoint to = kMoved + by;
      const QImage moved = paint(copy, drawing.of(1, to), viewAt(to)).picture;
      QVERIFY(drawing.parts.empty());
      QCOMPARE(moved, paint(other, drawing.of(1, to), viewAt(to)).picture);
      other = {};
    }
  }

  void nothingIsDrawnAheadBesideThePicture() {
    CanvasBase base;
    Drawing drawing;
    CanvasView whole = viewAt();
    whole.picture = QSizeF(kCanvasSize);
    paint(base, drawing.of(1), whole);
    QVERIFY(!base.drawAhead(drawing.of(1)));
  }

  void aStretchedPictureIsShownUntilItIsDrawn() {
    CanvasBase base;
    Drawing drawing;
    const QImage before = paint(base, drawing.of(1)).picture;
    const Painted frame = paint(base, drawing.of(2), viewAt({}, 0.6), kNoTime);
    QVERIFY(!frame.isComplete);
    QCOMPARE(frame.picture.pixelColor(590, 490), QColor(Qt::red));
    const QColor stretched = frame.picture.pixelColor(300, 240), was = before.pixelColor(500, 400);
    QVERIFY(std::abs(stretched.red() - was.red()) <= 2);
    QVERIFY(std::abs(stretched.green() - was.green()) <= 2);
    QCOMPARE(frame.picture.pixelColor(10, 10).blue(), 2);
    const Painted moved = paint(base, drawing.of(2, {-20, 0}), viewAt({-20, 0}, 0.6), kNoTime);
    QVERIFY(!moved.isComplete);
    QCOMPARE(moved.picture.pixelColor(80, 280), frame.picture.pixelColor(100, 280));
    CanvasBase other;
    QCOMPARE(paint(base, drawing.of(2), viewAt({}, 0.6)).picture,
             paint(other, drawing.of(2), viewAt({}, 0.6)).picture);
  }
};

LOCKSTEP_TEST(TstCanvasBase)
#include "tst_canvas_base.moc"
