// The shown image, its masks, the results of a checkpoint and the report of coco-eval, as files.
#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QLabel>
#include <QMimeData>
#include <QProcess>
#include <QProgressBar>
#include <QSemaphore>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <memory>

#include "app/export/export_dialog.h"
#include "app/export/results_export.h"
#include "engine/base/atomic_file.h"
#include "engine/coco/files/results.h"
#include "tests/support/file_content.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "widgets/theme.h"

using namespace lockstep;
using app::Exportable;
using app::ExportFormat;
using tests::contentOf;

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

  void crowdsAndObjectsWithoutMasksHaveNoLabel() {
    widgets::ShownResults shown = made();
    std::vector<coco::Annotation> objects = shown.dataset->annotationsOf(0);
    objects.push_back(objects[1]);
    objects[0].isCrowd = true;
    objects[1].hasMask = false;
    objects[2].id = 3;
    shown.dataset = std::make_shared<const coco::Dataset>(
        coco::Dataset::fromParts({shown.image()}, shown.dataset->categories(), objects, "made"));
    exports_ = app::resultsExports({shown}).choices;
    const QImage labels(save(exportNamed("Masks of the image's objects"), 0));
    QCOMPARE(int{labels.constScanLine(12)[12]}, 0);   // the crowd
    QCOMPARE(int{labels.constScanLine(60)[110]}, 3);  // the numbers are those of the annotations
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
    QVERIFY2(note.startsWith(QStringLiteral("2 detections of 1 image.")), qPrintable(note));
    QCOMPARE(filtered.formats.front().progress->done.load(), 1);
  }

  void theReportIsThatOfTheProgram_data() {
    QTest::addColumn<bool>("areMasks");
    QTest::addColumn<QString>("limits");
    for (const bool areMasks : {true, false})
      for (const char* limits : {"1,10,100", "1,5,7"})
        QTest::addRow("%s, %s", areMasks ? "masks" : "boxes", limits)
            << areMasks << QString::fromLatin1(limits);
  }
  /// Byte for byte.
  void theReportIsThatOfTheProgram() {
    QFETCH(bool, areMasks);
    QFETCH(QString, limits);
    widgets::ShownResults shown = made();
    shown.rules.type = areMasks ? coco::IouType::Mask : coco::IouType::Box;
    const QStringList numbers = limits.split(u',');
    std::ranges::transform(numbers, shown.rules.maxDetections.begin(),
                           [](const QString& number) { return number.toULongLong(); });
    exports_ = app::resultsExports({shown}).choices;
    const QByteArray report = contentOf(save(exportNamed("Report of coco-eval"), 0));
    const QTemporaryDir folder;
    const QString results = QStringLiteral("lr-0.02 step 400 results.json");
    coco::saveDataset(*shown.dataset,
                      folder.filePath(QStringLiteral("annotations.json")).toStdString());
    base::writeFileAtomically(folder.filePath(results).toStdString(),
                              coco::detectionsToJson(*shown.predictions.at(ImageId{3}).read()));
    QProcess program;
    program.setWorkingDirectory(folder.path());
    program.start(
        tests::program("lockstep-engine"),
        {QStringLiteral("coco-eval"), QStringLiteral("--gt"), QStringLiteral("annotations.json"),
         QStringLiteral("--dt"), results, QStringLiteral("--type"),
         areMasks ? QStringLiteral("segm") : QStringLiteral("bbox"), QStringLiteral("--max-dets"),
         limits, QStringLiteral("--score-threshold"), QStringLiteral("0.5"),
         QStringLiteral("--report"), QStringLiteral("own.html")});
    QVERIFY(program.waitForFinished(60000));
    QVERIFY2(program.exitCode() == 0, program.readAllStandardError().constData());
    const QByteArray own = contentOf(folder.filePath(QStringLiteral("own.html")));
    QVERIFY(own.contains("thing") && own.contains(numbers.last().toLatin1().prepend("AR")));
    QCOMPARE(report, own);
  }

  void aReportIsMadeWhateverTheNameOfTheRun_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("as an option") << QStringLiteral("-x --gt");
    QTest::newRow("longer than a file's") << QString(300, QChar(0x5e86));
  }
  void aReportIsMadeWhateverTheNameOfTheRun() {
    QFETCH(QString, name);
    widgets::ShownResults shown = made();
    shown.name = name;
    exports_ = app::resultsExports({shown}).choices;
    QVERIFY(contentOf(save(exportNamed("Report of coco-eval"), 0)).contains("thing"));
  }

  void theNameOfAFileFitsADisk() {
    const auto bytesOf = [](const QString& title) {
      return app::fileNameOf(title).toUtf8().size();
    };
    QCOMPARE(app::fileNameOf(QStringLiteral("lr-0.02, step 400")),
             QStringLiteral("lr-0.02 step 400"));
    const QString longName = app::fileNameOf(QString(300, u'r') + QStringLiteral(" loss"));
    QVERIFY(longName.startsWith(QStringLiteral("rrr")) && longName.contains(u'…'));
    QVERIFY(longName.endsWith(QStringLiteral("r loss")));
    QVERIFY(bytesOf(QString(300, QChar(0x5e86))) < 245);
  }

  void theDialogCountsInTheBackground() {
    app::ExportDialog dialog({exportNamed("COCO results, all")}, 0, folder_.path(), nullptr);
    auto* note = dialog.findChild<QLabel*>(QStringLiteral("note"));
    QCOMPARE(note->text(), QStringLiteral("Counting the detections…"));
    QTRY_COMPARE(note->text(), QStringLiteral("3 detections of 1 image."));
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
