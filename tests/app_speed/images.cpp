// A large image with many masks, and the row of many images.
#include <QImage>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>
#include <cmath>

#include "engine/base/counter_hash.h"
#include "tests/app_speed/gui_pauses.h"
#include "tests/app_speed/made_masks.h"
#include "tests/app_speed/measure.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/thumbnail_strip.h"
#include "widgets/theme.h"

namespace lockstep::speed {
namespace {

/// Counts how often a widget is painted.
class Paints : public QObject {
 public:
  explicit Paints(QWidget& widget) { widget.installEventFilter(this); }
  int count = 0;

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    count += event->type() == QEvent::Paint;
    return false;
  }
};

/// An image of 24 megapixels with this many masks, all detections.
std::shared_ptr<const widgets::CanvasScene> largeScene(QSize size, std::uint64_t masks) {
  const coco::Image image{ImageId{1}, "a.png", size.width(), size.height()};
  widgets::SceneRequest request;
  request.dataset = std::make_shared<const coco::Dataset>(
      coco::Dataset::fromParts({image}, {{CategoryId{1}, "1"}}, {}, "made"));
  std::vector<coco::Detection> detections;
  for (std::uint64_t k = 0; k < masks; ++k) {
    coco::Detection detection{image.id, CategoryId{1}, 0.9, {}, {}};
    const QRectF box(std::floor(5600 * base::counterUniform({k, 0})),
                     std::floor(3600 * base::counterUniform({k, 1})), 380, 300);
    detection.boxXywh = {box.x(), box.y(), box.width(), box.height()};
    detection.mask = ellipse(box, size);
    detections.push_back(std::move(detection));
  }
  request.detections = std::make_shared<const std::vector<coco::Detection>>(std::move(detections));
  request.theme = &widgets::lightTheme();
  return widgets::buildScene(request).scene;
}

/// The canvas with an image of 24 megapixels and 300 masks.
struct LargeCanvas {
  LargeCanvas() : paints(canvas) {
    const QSize size(6000, 4000);
    auto decoded = std::make_shared<widgets::DecodedImage>();
    QImage picture(size, QImage::Format_RGB32);
    picture.fill(Qt::darkGray);
    decoded->levels = widgets::ImageLevels(picture);
    picture = {};
    canvas.resize(1600, 950);
    canvas.setImage(std::move(decoded));
    canvas.setScene(largeScene(size, 300));
    canvas.show();
    waitUntil("the image", [&] { return paints.count > 0; });
  }

  /// From an event to its frame; then what has become ready meanwhile is handled.
  double frameMilliseconds(QEvent& event) {
    QElapsedTimer clock;
    clock.start();
    QCoreApplication::sendEvent(&canvas, &event);
    canvas.repaint();
    const double taken = millisecondsOf(clock);
    runFor(4);
    return taken;
  }

  widgets::ThemeSwitch theme;
  widgets::ImageCanvas canvas;
  Paints paints;
};

/// The frames of a drag to and fro.
std::vector<double> panFrames(LargeCanvas& large) {
  std::vector<double> times;
  const int paintsBefore = large.paints.count;
  const QPointF cornerBefore = large.canvas.toWidget({0, 0});
  QPoint at(800, 475);
  QTest::mousePress(&large.canvas, Qt::MiddleButton, {}, at);
  for (int frame = 0; frame < 240; ++frame) {
    at += QPoint(frame / 60 % 2 == 0 ? 11 : -11, frame / 30 % 2 == 0 ? 7 : -7);
    QMouseEvent move(QEvent::MouseMove, at, large.canvas.mapToGlobal(at), Qt::NoButton,
                     Qt::MiddleButton, Qt::NoModifier);
    times.push_back(large.frameMilliseconds(move));
    if (frame == 29 && large.canvas.toWidget({0, 0}) == cornerBefore)
      qFatal("app_speed: no panning");
  }
  if (large.paints.count - paintsBefore < 240) qFatal("app_speed: frames without a picture");
  QTest::mouseRelease(&large.canvas, Qt::MiddleButton, {}, at);
  return times;
}

/// From the whole image to its pixels and back, a notch of the wheel a frame.
std::vector<double> zoomFrames(LargeCanvas& large) {
  std::vector<double> times;
  large.canvas.fit();
  for (int frame = 0; frame < 40; ++frame) {
    const QPointF at(700, 400);
    QWheelEvent wheel(at, large.canvas.mapToGlobal(at), {}, {0, frame < 20 ? 120 : -120},
                      Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    times.push_back(large.frameMilliseconds(wheel));
  }
  return times;
}

}  // namespace

void measureCanvas() {
  const double before = privateMebibytes();
  LargeCanvas large;
  const struct {
    const char* name;
    double zoom;
  } kPans[] = {{"image_pan_half_frames_per_second", 0.5},
               {"image_pan_between_frames_per_second", 0.6},
               {"image_pan_frames_per_second", 1.0}};
  GuiPauses pauses;
  for (const auto& [name, zoom] : kPans) {
    large.canvas.zoomToActualSize();
    large.canvas.zoomBy(zoom);
    large.canvas.repaint();
    print(name, 1000 / percentile(panFrames(large), 0.95));
  }
  print("image_zoom_frame_ms", percentile(zoomFrames(large), 0.95));
  waitUntil("the fills", [&] { return large.canvas.isReady(); });
  const std::vector<double> blocks = pauses.take();
  print("image_gui_block_p99_ms", percentile(blocks, 0.99));
  print("image_longest_gui_block_ms", percentile(blocks, 1));
  print("image_pan_mib", privateMebibytes() - before);
}

void measureStrip() {
  constexpr int kItems = 100'000, kFiles = 500;
  QTemporaryDir folder;
  QImage picture(640, 480, QImage::Format_RGB32);
  for (int i = 0; i < kFiles; ++i) {
    picture.fill(QColor::fromHsv(i % 360, 200, 160));
    picture.save(folder.filePath(QStringLiteral("%1.jpg").arg(i)));
  }
  std::vector<widgets::ThumbnailStrip::Item> items;
  for (int i = 0; i < kItems; ++i) {
    const QString name = QStringLiteral("%1.jpg").arg(i % kFiles);
    items.push_back({folder.filePath(name), picture.size(), name});
  }
  widgets::ThemeSwitch theme;
  widgets::ThumbnailStrip strip;
  strip.resize(1600, strip.sizeHint().height());
  strip.show();
  strip.setItems(std::move(items));
  strip.setMarks(std::vector<widgets::ThumbnailStrip::Mark>(kItems));
  waitUntil("the first images", [&] { return strip.isReady(); });
  std::vector<double> times;
  QScrollBar* const bar = strip.horizontalScrollBar();
  for (int frame = 0; frame < 300; ++frame) {
    QElapsedTimer clock;
    clock.start();
    bar->setValue(frame < 200 ? bar->value() + 90 : bar->maximum() / 100 * (frame - 200));
    QCoreApplication::processEvents();
    strip.viewport()->repaint();
    times.push_back(millisecondsOf(clock));
  }
  print("strip_frames_per_second", 1000 / percentile(times, 0.95));
}

}  // namespace lockstep::speed
