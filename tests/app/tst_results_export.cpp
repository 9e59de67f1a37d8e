// The shown image, its masks, the results of a checkpoint and the report of coco-eval, as files.
#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QLabel>
#include <QMimeData>
#include <QProgressBar>
#include <QSemaphore>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <memory>

#include "app/export/export_dialog.h"
#include "app/export/results_export.h"
#include "engine/coco/files/results.h"
#include "tests/support/test_main.h"
#include "widgets/theme.h"

using namespace lockstep;
using app::Exportable;
using app::ExportFormat;

namespace {

constexpr int kWidth = 300, kHeight = 120;

coco::Rle maskAt(int x, int y, int side) {
  std::vector<std::uint8_t> pixels(kWidth * kHeight);
  for (int row = y; row < y + side; ++row)
    std::fill_n(pixels.begin() + row * kWidth + x, side, std::uint8_t{1});
  return coco::encodeMask(pixels.data(), kHeight, kWidth, kWidth);
}

coco::Detection detection(double score, int x, int y, int side) {
  const coco::Rle mask = maskAt(x, y, side);
  return {ImageId{3}, CategoryId{1}, score, coco::boundingBoxXywh(mask), mask};
}

/// One image with two objects and three detections, of which two overlap.
widgets::ShownResults made() {
  const auto object = [](std::int64_t id, int x, int y) {
    coco::Annotation one;
    one.id = id;
    one.imageId = ImageId{3};
    one.categoryId = CategoryId{1};
    one.segmentation = maskAt(x, y, 20);
    return one;
  };
  widgets::ShownResults shown;
  shown.name = QStringLiteral("lr-0.02, step 400");
  shown.thresholds = QStringLiteral("score ≥ 0.50");
  shown.theme = &widgets::currentTheme();
  shown.dataset = std::make_shared<const coco::Dataset>(coco::Dataset::fromParts(
      {{ImageId{3}, "plate/a.png", kWidth, kHeight}}, {{CategoryId{1}, "thing"}},
      {object(1, 10, 10), object(2, 100, 50)}, "made"));
  shown.predictions[ImageId{3}] = std::make_shared<const std::vector<coco::Detection>>(std::vector{
      detection(0.6, 20, 10, 20), detection(0.9, 10, 10, 20), detection(0.2, 100, 50, 20)});
  shown.scoreThreshold = 0.5;
  QImage picture(kWidth, kHeight, QImage::Format_RGB32);
  picture.fill(qRgb(10, 200, 30));
  auto decoded = std::make_shared<widgets::DecodedImage>();
  decoded->levels = widgets::ImageLevels(picture);
  shown.decoded = decoded;
  widgets::SceneRequest request;
  request.dataset = shown.dataset;
  request.detections = shown.predictions[ImageId{3}];
  request.theme = shown.theme;
  shown.scene = widgets::buildScene(request).scene;
  return shown;
}

}  // namespace

class TstResultsExport : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::vector<Exportable> exports_;

  const Exportable& exportNamed(const char* beginning) const {
    return *std::ranges::find_if(exports_, [&](const Exportable& one) {
      return one.name.startsWith(QLatin1String(beginning));
    });
  }
  /// Writes it as the dialog does, and returns its path.
  QString save(const Exportable& what, std::size_t format) {
    const QString path = folder_.filePath(what.file + u'.' + what.formats[format].suffix);
    std::optional<QString> error;
    what.formats[format].save(path, this, [&](const QString& why) { error = why; });
    if (!QTest::qWaitFor([&] { return error.has_value(); }, 60000) || !error->isEmpty()) {
      qWarning("%s", qPrintable(error.value_or(QStringLiteral("not written"))));
      return {};
    }
    return path;
  }
  static QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

 private Q_SLOTS:
  void init() { exports_ = app::resultsExports({made()}).choices; }

  void filesAreNamedByRunStepAndImage() {
    QCOMPARE(exports_.front().file, QStringLiteral("lr-0.02 step 400 a"));
  }

  void theImageHasItsOwnResolutionAndItsOverlays() {
    const QString path = save(exports_.front(), 0);
    const QImage picture(path);
    QVERIFY(picture.width() >= kWidth && picture.height() > kHeight);
    QCOMPARE(picture.pixel(8 + 250, 8 + 100), qRgb(10, 200, 30));  // nothing is drawn there
    QVERIFY(picture.pixel(8 + 20, 8 + 20) != qRgb(10, 200, 30));   // a mask's fill
    bool hasCaption = false;
    for (int y = kHeight + 16; y < picture.height(); ++y)
      for (int x = 0; x < picture.width(); ++x)
        hasCaption = hasCaption || qGray(picture.pixel(x, y)) < 100;
    QVERIFY(hasCaption);
  }

  void vectorsNameWhatTheyAreOf() {
    const QByteArray svg = contentOf(save(exports_.front(), 1));
    QVERIFY(svg.contains("lr-0.02, step 400") && svg.contains("plate/a.png"));
    QVERIFY(contentOf(save(exports_.front(), 2)).startsWith("%PDF"));
  }

  void theImageIsCopied() {
    bool isDone = false;
    exports_.front().formats.front().copy(this, [&](const QString& error) {
      QVERIFY2(error.isEmpty(), qPrintable(error));
      isDone = true;
    });
    QTRY_VERIFY(isDone);
    QVERIFY(QGuiApplication::clipboard()->mimeData()->hasImage());
  }

  void predictedMasksAreLabelsByScore() {
    const QImage labels(save(exportNamed("Predicted masks"), 0));
    QCOMPARE(labels.size(), QSize(kWidth, kHeight));
    const auto at = [&](int x, int y) { return labels.constScanLine(y)[x]; };
    QCOMPARE(labels.format(), QImage::Format_Grayscale8);
    QCOMPARE(int{at(12, 12)}, 1);
    QCOMPARE(int{at(25, 12)}, 1);  // of both: the higher score
    QCOMPARE(int{at(35, 12)}, 2);
    QCOMPARE(int{at(110, 60)}, 0);  // below the threshold
  }

  void aMaskOfAnotherSizeThanItsImageIsRefused() {
    widgets::ShownResults shown = made();
    shown.dataset = std::make_shared<const coco::Dataset>(
        coco::Dataset::fromParts({{ImageId{3}, "plate/a.png", kWidth / 2, kHeight / 2}},
                                 {{CategoryId{1}, "thing"}}, {}, "made"));
    exports_ = app::resultsExports({shown}).choices;
    QString error;
    exportNamed("Predicted masks")
        .formats.front()
        .save(folder_.filePath(QStringLiteral("a.png")), this,
              [&](const QString& why) { error = why; });
    QTRY_VERIFY(!error.isEmpty());
    QVERIFY2(error.contains(QStringLiteral("120")), qPrintable(error));
    QVERIFY(!QFile::exists(folder_.filePath(QStringLiteral("a.png"))));
  }

  void nothingIsOfferedThatNeedsObjectsWhereNobodyAnnotated() {
    widgets::ShownResults shown = made();
    shown.rules.hasTruth = false;
    for (const Exportable& one : app::resultsExports({shown}).choices)
      QVERIFY2(!one.name.startsWith(QStringLiteral("Report")) &&
                   !one.name.startsWith(QStringLiteral("Masks of the image's objects")),
               qPrintable(one.name));
  }

  void annotatedMasksAreLabelsInTheirOrder() {
    const QImage labels(save(exportNamed("Masks of the image's objects"), 0));
    QCOMPARE(int{labels.constScanLine(12)[12]}, 1);
    QCOMPARE(int{labels.constScanLine(60)[110]}, 2);
    QCOMPARE(int{labels.constScanLine(5)[5]}, 0);
  }

  void resultsReadBackTheSame() {
    const auto own = coco::loadDetections(save(exportNamed("COCO results, all"), 0).toStdString());
    const auto expected = *made().predictions.at(ImageId{3}).read();
    QCOMPARE(own.size(), expected.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      QCOMPARE(own[i].score, expected[i].score);
      QVERIFY(own[i].mask == expected[i].mask);
    }
    const Exportable& filtered = exportNamed("COCO results, score");
    QCOMPARE(coco::loadDetections(save(filtered, 0).toStdString()).size(), std::size_t{2});
    const QString note = filtered.formats.front().findNote({});
    QVERIFY2(note.startsWith(QStringLiteral("2 detections of 1 images")), qPrintable(note));
    QCOMPARE(filtered.formats.front().progress->done.load(), 1);
  }

  void theReportIsThatOfTheProgram() {
    const QByteArray report = contentOf(save(exportNamed("Report of coco-eval"), 0));
    QVERIFY(report.contains("<html") && report.contains("thing"));
  }

  void theDialogCountsInTheBackground() {
    app::ExportDialog dialog({exportNamed("COCO results, all")}, 0, folder_.path(), nullptr);
    auto* note = dialog.findChild<QLabel*>(QStringLiteral("note"));
    QCOMPARE(note->text(), QStringLiteral("Counting the detections…"));
    QTRY_COMPARE(note->text(), QStringLiteral("3 detections of 1 images."));
    QTRY_VERIFY(dialog.findChild<QProgressBar*>()->isHidden());
  }

  void nothingIsWrittenOnceItIsCancelled() {
    const QString path = folder_.filePath(QStringLiteral("cancelled.json"));
    auto context = std::make_unique<QObject>();
    QSemaphore begun, gone;
    bool isTold = false;
    app::writeMade(
        path, context.get(),
        [&](const jobs::Token& token) {
          begun.release();
          gone.acquire();
          isTold = token.isCancelled();
          return QByteArray("[]");
        },
        [](const QString&) {});
    begun.acquire();
    context.reset();
    gone.release();
    QVERIFY(jobs::waitForAll(std::chrono::seconds(60)));
    QVERIFY(isTold);
    QVERIFY(!QFile::exists(path));
  }

  void aFolderThatIsGoneIsSaid() {
    QString error;
    exports_.front().formats.front().save(folder_.filePath(QStringLiteral("gone/a.png")), this,
                                          [&](const QString& why) { error = why; });
    QTRY_VERIFY(error.contains(QStringLiteral("gone/a.png cannot be written: ")));
  }
};

LOCKSTEP_TEST(TstResultsExport)
#include "tst_results_export.moc"
