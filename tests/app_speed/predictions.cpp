// The Predictions page with many images of many masks.
#include <QAction>
#include <QCoreApplication>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QSlider>
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <fstream>

#include "engine/base/counter_hash.h"
#include "engine/base/free_memory.h"
#include "tests/app_speed/made_masks.h"
#include "tests/app_speed/measure.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/theme.h"

namespace lockstep::speed {
namespace {

constexpr int kImages = 5000, kMasks = 100, kClasses = 5;
constexpr int kWidth = 640, kHeight = 480;
constexpr QSize kSize(kWidth, kHeight);
constexpr int kFiles = 300;
constexpr qint64 kStep = 1000;

/// In a folder.
constexpr const char *kAnnotations = "annotations.json", *kResults = "results.json";

std::string fileIn(const QString& folder, const char* name) {
  return folder.toStdString() + '/' + name;
}

/// Every object has a detection beside it, of any score.
void makeFiles(const QString& folder) {
  std::vector<coco::Detection> detections;
  std::vector<coco::Image> images;
  std::vector<coco::Annotation> truth;
  for (int i = 1; i <= kImages; ++i) {
    images.push_back({ImageId{i}, std::to_string(i % kFiles) + ".jpg", kWidth, kHeight});
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
      object.segmentation = ellipse({x, y, width, height}, kSize);
      truth.push_back(std::move(object));
      coco::Detection detection;
      detection.imageId = ImageId{i};
      detection.categoryId = category;
      detection.score = at(5);
      detection.boxXywh = {x + shift, y, width, height};
      detection.mask = ellipse({x + shift, y, width, height}, kSize);
      detections.push_back(std::move(detection));
    }
  }
  std::vector<coco::Category> categories;
  for (int c = 1; c <= kClasses; ++c) categories.push_back({CategoryId{c}, std::to_string(c)});
  std::ofstream(fileIn(folder, kResults)) << coco::detectionsToJson(detections);
  coco::saveDataset(
      coco::Dataset::fromParts(std::move(images), std::move(categories), std::move(truth), "made"),
      fileIn(folder, kAnnotations));
}

/// In a program of its own, whose memory is not measured.
void makeFilesApart(const QString& folder) {
  const int status = QProcess::execute(QCoreApplication::applicationFilePath(),
                                       {QStringLiteral("--make-predictions"), folder});
  if (status != 0) qFatal("app_speed: no files");
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

/// Files of noise, which is slow to decode.
void makeImages(const QTemporaryDir& folder) {
  QImage picture(kWidth, kHeight, QImage::Format_RGB32);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      picture.setPixel(x, y,
                       static_cast<QRgb>(base::counterHash({std::uint64_t(x * kHeight + y)})));
  picture.save(folder.filePath(QStringLiteral("0.jpg")), nullptr, 90);
  for (int i = 1; i < kFiles; ++i)
    QFile::copy(folder.filePath(QStringLiteral("0.jpg")),
                folder.filePath(QStringLiteral("%1.jpg").arg(i)));
}

/// From a step to the image with its masks, the slowest but 5 %.
double imageMilliseconds(widgets::PredictionsView& view, const std::function<void()>& go) {
  auto* canvas = view.findChild<widgets::ImageCanvas*>();
  std::vector<double> times;
  for (int i = 0; i < 20; ++i) {
    const ImageId before = view.currentImage();
    QElapsedTimer clock;
    clock.start();
    go();
    waitUntil("the image", [&] { return canvas->image() && canvas->scene(); });
    view.repaint();
    times.push_back(millisecondsOf(clock));
    if (view.currentImage() == before) qFatal("app_speed: no other image");
    waitUntil("its neighbours", [&] { return view.isReady(); });
    runFor(100);
  }
  return percentile(times, 0.95);
}

}  // namespace

int makePredictions(const QString& folder) {
  makeFiles(folder);
  return 0;
}

void measurePredictions() {
  QTemporaryDir folder;
  makeImages(folder);
  makeFilesApart(folder.path());
  const std::string file = fileIn(folder.path(), kResults);
  const double atFirst = privateMebibytes();
  const auto dataset = std::make_shared<const coco::Dataset>(
      coco::Dataset::load(fileIn(folder.path(), kAnnotations)));
  base::returnFreeMemory();  // as the window does
  const double before = privateMebibytes();
  print("predictions_dataset_mib", before - atFirst);
  widgets::ThemeSwitch theme;
  widgets::PredictionsView view;
  view.resize(1600, 1000);
  view.show();
  view.setDataset(dataset, folder.path());
  view.setCheckpoints({kStep, 2 * kStep, 3 * kStep}, {});
  waitUntil("the image", [&] { return view.isReady(); });
  QElapsedTimer clock;
  clock.start();
  view.setPredictions(kStep, std::make_shared<const coco::ResultsByImage>(file));
  print("predictions_read_ms", millisecondsOf(clock));
  view.setCurrentCheckpoint(kStep);
  waitUntil("the figures", [&] { return view.isReady(); });
  print("predictions_matched_ms", millisecondsOf(clock));
  std::vector<double> mebibytes{privateMebibytes()};
  print("score_tick_p95_ms", tickMilliseconds(view, QStringLiteral("Score threshold")));
  mebibytes.push_back(privateMebibytes());
  print("iou_tick_p95_ms", tickMilliseconds(view, QStringLiteral("IoU threshold")));
  mebibytes.push_back(privateMebibytes());
  auto* next = view.findChild<QAction*>(QStringLiteral("predictions.next_image"));
  if (next == nullptr) qFatal("app_speed: no action for the next image");
  print("next_image_ms", imageMilliseconds(view, [&] { next->trigger(); }));
  std::int64_t far = 100;
  print("image_not_cached_ms",
        imageMilliseconds(view, [&] { view.showImage(ImageId{far += 10}); }));
  for (const qint64 step : {2 * kStep, 3 * kStep}) {
    view.setPredictions(step, std::make_shared<const coco::ResultsByImage>(file));
    view.setCurrentCheckpoint(step);
    waitUntil("another checkpoint", [&] { return view.isReady(); });
    mebibytes.push_back(privateMebibytes());
  }
  print("predictions_mib", std::ranges::max(mebibytes));
  print("predictions_page_mib", std::ranges::max(mebibytes) - before);
}

}  // namespace lockstep::speed
