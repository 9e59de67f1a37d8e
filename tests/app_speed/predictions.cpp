// The Predictions page with many images of many masks.
#include <QImage>
#include <QMouseEvent>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/base/counter_hash.h"
#include "engine/coco/masks/rle.h"
#include "tests/app_speed/measure.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/theme.h"

namespace lockstep::speed {
namespace {

constexpr int kImages = 5000, kMasks = 100, kClasses = 5;
constexpr int kWidth = 640, kHeight = 480;
constexpr qint64 kStep = 1000;

/// An ellipse in this box of an image.
coco::Rle ellipse(const QRectF& box, QSize image = {kWidth, kHeight}) {
  const double x = box.x(), y = box.y(), width = box.width(), height = box.height();
  coco::Rle mask;
  mask.width = image.width();
  mask.height = image.height();
  std::uint32_t end = 0;  // of the last run, in column-major order
  for (int column = static_cast<int>(x); column < static_cast<int>(x + width); ++column) {
    const double across = (column + 0.5 - x - width / 2) / (width / 2);
    const int half = static_cast<int>(height / 2 * std::sqrt(std::max(0.0, 1 - across * across)));
    const auto from = static_cast<std::uint32_t>(column * image.height() + y + height / 2 - half);
    if (half == 0) continue;
    mask.counts.push_back(from - end);
    mask.counts.push_back(static_cast<std::uint32_t>(2 * half));
    end = from + static_cast<std::uint32_t>(2 * half);
  }
  mask.counts.push_back(static_cast<std::uint32_t>(image.width() * image.height()) - end);
  return mask;
}

struct Made {
  std::shared_ptr<const coco::Dataset> dataset;
  std::vector<coco::Detection> detections;
  std::vector<ImageId> images;
};

/// Every object has a detection beside it, of any score.
Made makePredictions() {
  Made made;
  std::vector<coco::Image> images;
  std::vector<coco::Annotation> truth;
  for (int i = 1; i <= kImages; ++i) {
    images.push_back({ImageId{i}, "a.png", kWidth, kHeight});
    made.images.push_back(ImageId{i});
    for (int k = 0; k < kMasks; ++k) {
      const auto at = [&](std::uint64_t what) {
        return base::counterUniform(
            {static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k), what});
      };
      const double x = std::floor(590 * at(0)), y = std::floor(430 * at(1)),
                   width = 16 + std::floor(24 * at(2)), height = 16 + std::floor(24 * at(3)),
                   shift = std::floor(8 * at(4));
      const CategoryId category{1 + k % kClasses};
      coco::Annotation object;
      object.id = static_cast<std::int64_t>(truth.size()) + 1;
      object.imageId = ImageId{i};
      object.categoryId = category;
      object.boxXywh = {x, y, width, height};
      object.segmentation = ellipse({x, y, width, height});
      truth.push_back(std::move(object));
      coco::Detection detection;
      detection.imageId = ImageId{i};
      detection.categoryId = category;
      detection.score = at(5);
      detection.boxXywh = {x + shift, y, width, height};
      detection.mask = ellipse({x + shift, y, width, height});
      made.detections.push_back(std::move(detection));
    }
  }
  std::vector<coco::Category> categories;
  for (int c = 1; c <= kClasses; ++c) categories.push_back({CategoryId{c}, std::to_string(c)});
  made.dataset = std::make_shared<const coco::Dataset>(
      coco::Dataset::fromParts(std::move(images), std::move(categories), std::move(truth), "made"));
  return made;
}

/// From the tick of a slider to the page with all figures of it.
double tickMilliseconds(widgets::PredictionsView& view, const QString& slider) {
  QSlider* moved = nullptr;
  for (QSlider* each : view.findChildren<QSlider*>())
    if (each->accessibleName() == slider) moved = each;
  if (moved == nullptr) qFatal("app_speed: no slider %s", qPrintable(slider));
  std::vector<double> times;
  for (int i = 0; i < 21; ++i) {
    QElapsedTimer clock;
    clock.start();
    moved->setValue(moved->value() + (i % 2 == 0 ? moved->singleStep() : -moved->singleStep()));
    waitUntil("the figures", [&] { return view.isReady(); });
    view.repaint();
    times.push_back(millisecondsOf(clock));
  }
  return percentile(times, 0.95);
}

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

}  // namespace

void measureCanvas() {
  const QSize size(6000, 4000);
  const double before = privateMebibytes();
  widgets::ThemeSwitch theme;
  auto decoded = std::make_shared<widgets::DecodedImage>();
  QImage picture(size, QImage::Format_RGB32);
  picture.fill(Qt::darkGray);
  decoded->levels = widgets::ImageLevels(picture);
  picture = {};
  widgets::ImageCanvas canvas;
  canvas.resize(1600, 950);
  canvas.setImage(std::move(decoded));
  canvas.setScene(largeScene(size, 300));
  Paints paints(canvas);
  canvas.show();
  waitUntil("the image", [&] { return paints.count > 0; });
  for (const double zoom : {0.5, 1.0}) {
    canvas.zoomToActualSize();
    canvas.zoomBy(zoom);
    canvas.repaint();
    std::vector<double> times;
    const int paintsBefore = paints.count;
    const QPointF cornerBefore = canvas.toWidget({0, 0});
    QPoint at(800, 475);
    QTest::mousePress(&canvas, Qt::MiddleButton, {}, at);
    for (int frame = 0; frame < 240; ++frame) {
      QElapsedTimer clock;
      clock.start();
      at += QPoint(frame / 60 % 2 == 0 ? 11 : -11, frame / 30 % 2 == 0 ? 7 : -7);
      QMouseEvent move(QEvent::MouseMove, at, canvas.mapToGlobal(at), Qt::NoButton,
                       Qt::MiddleButton, Qt::NoModifier);
      QCoreApplication::sendEvent(&canvas, &move);
      canvas.repaint();
      times.push_back(millisecondsOf(clock));
      if (frame == 29 && canvas.toWidget({0, 0}) == cornerBefore) qFatal("app_speed: no panning");
    }
    if (paints.count - paintsBefore < 240) qFatal("app_speed: frames without a picture");
    QTest::mouseRelease(&canvas, Qt::MiddleButton, {}, at);
    print(zoom < 1 ? "image_pan_half_frames_per_second" : "image_pan_frames_per_second",
          1000 / percentile(times, 0.95));
  }
  print("image_pan_mib", privateMebibytes() - before);
}

void measurePredictions() {
  QTemporaryDir folder;
  QImage picture(kWidth, kHeight, QImage::Format_RGB32);
  picture.fill(Qt::darkGray);
  picture.save(folder.filePath(QStringLiteral("a.png")));
  Made made = makePredictions();
  const double before = privateMebibytes();
  widgets::ThemeSwitch theme;
  widgets::PredictionsView view;
  view.resize(1600, 1000);
  view.show();
  view.setDataset(made.dataset, folder.path());
  view.setCheckpoints({kStep}, {});
  waitUntil("the image", [&] { return view.isReady(); });
  QElapsedTimer clock;
  clock.start();
  view.setPredictions(kStep, std::move(made.detections), made.images);
  view.setCurrentCheckpoint(kStep);
  waitUntil("the figures", [&] { return view.isReady(); });
  print("predictions_matched_ms", millisecondsOf(clock));
  print("predictions_page_mib", privateMebibytes() - before);
  print("score_tick_p95_ms", tickMilliseconds(view, QStringLiteral("Score threshold")));
  print("iou_tick_p95_ms", tickMilliseconds(view, QStringLiteral("IoU threshold")));
}

}  // namespace lockstep::speed
