#include <QFile>
#include <QImage>
#include <QSet>
#include <QTest>

#include "tests/end_to_end/test_workspace.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::ProcessResult;
using tests::TestWorkspace;
using tests::text;

/// The program `lockstep`, started from a shell.
class TstDesktopProgram : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<TestWorkspace> place_;

  ProcessResult lockstep(const QString& line) {
    return place_->run("lockstep", line.split(QLatin1Char(' ')));
  }

 private Q_SLOTS:
  void initTestCase() {
    place_ = std::make_unique<TestWorkspace>();
    place_->copyMadeRun();
  }

  void cleanupTestCase() { place_.reset(); }

  void anErrorIsOneLineAndStatusTwo() {
    const auto before = place_->files();
    const ProcessResult ended = lockstep(text("run --page train"));
    QCOMPARE(ended.status, 2);
    QVERIFY2(ended.err.contains("choose configure, monitor, predictions, data or compare"),
             ended.err.constData());
    QCOMPARE(ended.err.count('\n'), 1);
    QVERIFY2(ended.out.isEmpty(), ended.out.constData());
    QCOMPARE(place_->files(), before);
  }

  void everyPageIsSavedAsAScreenshotOfTheGivenSize_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QSize>("size");
    QTest::newRow("configure, experiment")
        << text("experiment.yaml --page configure --theme dark") << QSize(1280, 800);
    QTest::newRow("configure, copy of a run")
        << text("run --page configure --theme light") << QSize(1280, 800);
    QTest::newRow("monitor") << text("run --page monitor --theme light") << QSize(1440, 900);
    QTest::newRow("predictions") << text("run --page predictions --theme dark") << QSize(1280, 800);
    QTest::newRow("data, experiment")
        << text("experiment.yaml --page data --theme light") << QSize(1280, 800);
    QTest::newRow("data, run") << text("run --page data --theme dark") << QSize(1280, 800);
    QTest::newRow("compare") << text("run --page compare --theme light") << QSize(1280, 800);
    QTest::newRow("folder of runs") << text(". --theme light") << QSize(1024, 700);
  }
  void everyPageIsSavedAsAScreenshotOfTheGivenSize() {
    QFETCH(QString, line);
    QFETCH(QSize, size);
    const ProcessResult ended = lockstep(
        line + text(" --size %1x%2 --screenshot page.png").arg(size.width()).arg(size.height()));
    QVERIFY2(ended.status == 0, ended.err.constData());
    QVERIFY2(!ended.err.contains("This plugin does not support"), ended.err.constData());
    QImage picture;
    QVERIFY(picture.load(place_->path(text("page.png")), "PNG"));
    QFile::remove(place_->path(text("page.png")));
    QCOMPARE(picture.size(), size);
    // Something is drawn, in the given theme.
    QSet<QRgb> colours;
    qint64 lightness = 0;
    const int stride = 3;
    for (int y = 0; y < size.height(); y += stride) {
      for (int x = 0; x < size.width(); x += stride) {
        colours.insert(picture.pixel(x, y));
        lightness += picture.pixelColor(x, y).lightness();
      }
    }
    const qint64 mean = lightness * stride * stride / (qint64{size.width()} * size.height());
    QVERIFY2(colours.size() > 50, qPrintable(QString::number(colours.size())));
    QVERIFY2(line.contains(text("dark")) ? mean < 110 : mean > 150,
             qPrintable(QString::number(mean)));
  }
};

LOCKSTEP_TEST(TstDesktopProgram)
#include "tst_desktop_program.moc"
