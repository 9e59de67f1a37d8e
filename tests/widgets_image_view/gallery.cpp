/// Writes screenshots of the Predictions page for review: gallery_image_view ANNOTATIONS IMAGES
/// OUT_FOLDER.

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QMenu>
#include <QTest>
#include <QTimer>
#include <cstdio>
#include <exception>

#include "tests/widgets_image_view/perturbed_truth.h"
#include "widgets/image_view/class_filter.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/language.h"
#include "widgets/theme.h"

namespace {

using namespace lockstep;

constexpr qint64 kSteps[] = {80, 160, 240, 320, 400};

/// Waits until the view shows everything.
void settle(widgets::PredictionsView& view) {
  QCoreApplication::processEvents();
  QEventLoop loop;
  QTimer::singleShot(10000, &loop, &QEventLoop::quit);
  QObject::connect(&view, &widgets::PredictionsView::ready, &loop, &QEventLoop::quit);
  if (!view.isReady()) loop.exec();
  QCoreApplication::processEvents();
}

void save(widgets::PredictionsView& view, const QString& folder, const QString& name) {
  settle(view);
  const QString path = QDir(folder).filePath(name);
  view.grab().save(path);
  std::printf("%s\n", qPrintable(path));
}

void showDataset(widgets::PredictionsView& view,
                 const std::shared_ptr<const coco::Dataset>& dataset, const QString& images) {
  view.setDataset(dataset, images);
  view.setCheckpoints({std::begin(kSteps), std::end(kSteps)}, {160, 320, 400});
  std::map<qint64, double> precisions;
  double quality = 0.3;
  for (qint64 step : kSteps) {
    std::vector<ImageId> predicted;
    for (const coco::Image& image : dataset->images()) {
      if (predicted.size() + 2 < dataset->images().size()) predicted.push_back(image.id);
    }
    std::vector<coco::Detection> detections = tests::perturbedTruth(*dataset, quality);
    std::erase_if(detections, [&](const coco::Detection& d) {
      return std::find(predicted.begin(), predicted.end(), d.imageId) == predicted.end();
    });
    view.setPredictions(step, std::move(detections), predicted);
    precisions[step] = quality * 0.7;
    quality += 0.15;
  }
  view.setAveragePrecisions(std::move(precisions));
  view.setCurrentCheckpoint(240);
}

/// Measures the time from showImage() until the image is shown with all overlays.
void timeImages(widgets::PredictionsView& view, const coco::Dataset& dataset) {
  for (const char* round : {"first", "again"}) {
    for (const coco::Image& image : dataset.images()) {
      QElapsedTimer timer;
      timer.start();
      view.showImage(image.id);
      settle(view);
      view.grab();
      std::printf("%s %s: %lld ms\n", round, image.fileName.c_str(),
                  static_cast<long long>(timer.elapsed()));
    }
  }
}

void press(QWidget& view, Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  view.setFocus();
  QTest::keyClick(&view, key, modifiers);
}

void makePictures(const QString& annotations, const QString& images, const QString& folder) {
  const auto dataset =
      std::make_shared<const coco::Dataset>(coco::Dataset::load(annotations.toStdString()));
  widgets::ThemeSwitch theme;
  for (const bool isDark : {true, false}) {
    theme.setMode(isDark ? widgets::ThemeSwitch::Mode::Dark : widgets::ThemeSwitch::Mode::Light);
    const QString prefix = isDark ? QStringLiteral("dark-") : QStringLiteral("light-");
    widgets::PredictionsView view;
    view.resize(1365, 800);
    view.show();
    view.activateWindow();
    if (!QTest::qWaitForWindowActive(&view)) std::fprintf(stderr, "no focus: keys do nothing\n");
    save(view, folder, prefix + QStringLiteral("empty.png"));
    showDataset(view, dataset, images);
    save(view, folder, prefix + QStringLiteral("first.png"));
    QMenu* classes = view.findChild<widgets::ClassFilter*>()->menu();
    classes->popup({900, 300});
    QCoreApplication::processEvents();
    classes->grab().save(QDir(folder).filePath(prefix + QStringLiteral("classes.png")));
    classes->close();
    if (isDark) timeImages(view, *dataset);
    view.showImage(dataset->images()[dataset->images().size() / 2].id);
    press(view, Qt::Key_Down);
    save(view, folder, prefix + QStringLiteral("middle.png"));
    auto* canvas = view.findChild<widgets::ImageCanvas*>();
    canvas->zoomBy(4);
    press(view, Qt::Key_G);
    save(view, folder, prefix + QStringLiteral("zoomed.png"));
    press(view, Qt::Key_G);
    view.showImage(dataset->images().back().id);
    save(view, folder, prefix + QStringLiteral("not-predicted.png"));
    view.setDataset(dataset, images + QStringLiteral("-not-there"));
    save(view, folder, prefix + QStringLiteral("broken.png"));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  lockstep::widgets::installLanguage();
  const QStringList arguments = QCoreApplication::arguments();
  if (arguments.size() != 4) {
    std::fprintf(stderr, "usage: gallery_image_view ANNOTATIONS IMAGES OUT_FOLDER\n");
    return 2;
  }
  try {
    QDir().mkpath(arguments[3]);
    makePictures(arguments[1], arguments[2], arguments[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
