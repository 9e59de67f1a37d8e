#include <signal.h>

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/frame/main_window.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/list/run_list_model.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/end_to_end/test_workspace.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "widgets/banner.h"
#include "widgets/config_editor/yaml_text.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/instance_model.h"
#include "widgets/image_view/instance_table.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/image_view/verdict_style.h"
#include "widgets/plots/curve_card.h"

using namespace lockstep;
using app::MainWindow;
using tests::kPatienceMs;
using tests::TestWorkspace;
using tests::text;

/// A step of a longer test, which ends at the first failure.
#define STEP(call) \
  call;            \
  if (QTest::currentTestFailed()) return

namespace {

/// More steps than are trained: the window stops these runs.
const char* const kWatchedExperiment = R"(# Tiny images, so that a step takes a moment.
base: %1
name: watched           # names its runs

dataset:
  train: {images: %2/train, annotations: %2/annotations/instances_train.json}
  val: {images: %2/val, annotations: %2/annotations/instances_val.json}
  loader_threads: 1
augment:
  min_size: [96]
  max_size: 160
model: {box_head: {score_threshold: 0.01, detections_per_image: 20}}
solver:
  # from scratch
  base_lr: 0.02         # to be edited
  schedule: constant
  warmup_steps: 0
  max_steps: 100000
  batch_size: 1
evaluation: {loss_every: 4, ap_every: 8, max_images: 2}
monitor: {log_every: 1, predictions_every: 4, prediction_images: 2}
checkpoint: {every: 4, keep: 2}
runtime: {device: cpu, cpu_threads: 1}
)";

/// Whether two colours are the same except for antialiasing.
bool isNear(QRgb pixel, const QColor& colour) {
  return std::abs(qRed(pixel) - colour.red()) + std::abs(qGreen(pixel) - colour.green()) +
             std::abs(qBlue(pixel) - colour.blue()) <
         40;
}

}  // namespace

/// The window with the real engine and worker.
class TstWindow : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<TestWorkspace> place_;
  std::unique_ptr<MainWindow> window_;
  widgets::ThemeSwitch theme_;

  std::unique_ptr<MainWindow> windowOn(const QStringList& paths) {
    app::MainWindowOptions options;
    options.paths = paths;
    options.size = QSize(1440, 900);
    options.theme = widgets::ThemeSwitch::Mode::Dark;
    options.themeGiven = true;
    options.keepLayout = false;
    return std::make_unique<MainWindow>(&theme_, options);
  }

  void open(const QStringList& paths) {
    window_ = windowOn(paths);
    window_->show();
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    QTRY_VERIFY_WITH_TIMEOUT(window_->isReady(), kPatienceMs);
  }

  /// Shows the image that is not a watched one, and predicts it with the checkpoint of a step.
  static void predictUnwatched(MainWindow& window, qint64 step) {
    window.show();
    window.showPage(app::Page::Predictions);
    QTRY_VERIFY_WITH_TIMEOUT(window.isReady(), kPatienceMs);
    auto* view = window.findChild<widgets::PredictionsView*>();
    auto* stage = window.findChild<widgets::ImageStage*>();
    view->showImage(ImageId{6});
    view->setCurrentCheckpoint(step);
    QTRY_VERIFY(stage->notice().contains(text("not predicted at step %1").arg(step)));
    for (QPushButton* predict : stage->findChildren<QPushButton*>())
      if (predict->text() == text("Predict this image")) QTest::mouseClick(predict, Qt::LeftButton);
    QVERIFY2(stage->notice().contains(text("Predicting")), qPrintable(stage->notice()));
    QTRY_COMPARE_WITH_TIMEOUT(stage->notice(), QString(), kPatienceMs);
  }

  void close() {
    QVERIFY(window_->close());
    window_.reset();
  }

  /// The widget with this accessible name.
  template <typename Widget>
  Widget* named(const char* name) {
    for (Widget* widget : window_->findChildren<Widget*>())
      if (widget->accessibleName() == text(name)) return widget;
    return nullptr;
  }

  QPushButton* button(const char* name) { return window_->findChild<QPushButton*>(text(name)); }

  void press(QPushButton* button) {
    QVERIFY(button && button->isVisible());
    QTRY_VERIFY2_WITH_TIMEOUT(button->isEnabled(), qPrintable(button->toolTip()), kPatienceMs);
    QTest::mouseClick(button, Qt::LeftButton);
  }

  /// Train asks once about unsaved edits.
  void pressTrainAndSave() {
    bool isAnswered = false;
    QTimer look;
    connect(&look, &QTimer::timeout, this, [&] {
      const auto* dialog = QApplication::activeModalWidget();
      if (!dialog) return;
      for (QPushButton* answer : dialog->findChildren<QPushButton*>()) {
        if (answer->text() != text("Save and train")) continue;
        isAnswered = true;
        answer->click();
      }
    });
    look.start(5);
    STEP(press(button("trainButton")));
    QVERIFY(isAnswered);
  }

  /// The state of the selected run in the list of runs.
  QString state() {
    const auto* list = window_->findChild<QAbstractItemView*>(text("runList"));
    return list->currentIndex().data(app::RunListModel::StateTextRole).toString();
  }

  /// Messages of the window, for a failed test.
  QByteArray messages() {
    QStringList all;
    for (const auto* banner : window_->findChildren<widgets::Banner*>())
      if (banner->isVisible()) all << banner->detail();
    return (text("state ") + state() + text("; ") + all.join(QLatin1Char('\n'))).toUtf8();
  }

  /// A curve of the first card: 0 training, 1 held out.
  std::shared_ptr<const widgets::CurveSource> lossCurve(std::size_t index) {
    const auto& curves = window_->monitorPage()->cards().front()->plot()->curves();
    return index < curves.size() ? curves[index].source : nullptr;
  }

  /// Its points. With a missing or duplicate step they cannot equal the log.
  tests::Curve pointsOf(std::size_t index) {
    const auto source = lossCurve(index);
    tests::Curve points;
    if (!source || source->isEmpty()) return points;
    const auto [first, last] = source->xRange();
    for (auto step = static_cast<std::int64_t>(first); step <= static_cast<std::int64_t>(last);
         ++step) {
      const auto reading = source->nearest(static_cast<double>(step));
      if (reading && reading->step == step) points[step] = static_cast<float>(reading->value);
    }
    const auto all = source->valuesBetween(first - 1, last + 1, 1 << 20).size();
    if (all != points.size()) points[-1] = static_cast<float>(all);
    return points;
  }

  /// Every point of the log is in the window once, from step 1 on.
  void compareWithTheLog(const QString& run) {
    QTest::keyClick(window_.get(), Qt::Key_2, Qt::ControlModifier);
    QCOMPARE(window_->page(), app::Page::Monitor);
    const tests::Curves record = place_->curvesOf(run);
    const tests::Curve& training = record.of("train/loss_total");
    QCOMPARE(record.doubles, 0);
    QVERIFY(!training.empty());
    QCOMPARE(training.begin()->first, std::int64_t{1});
    QCOMPARE(training.rbegin()->first, static_cast<std::int64_t>(training.size()));
    QTRY_COMPARE_WITH_TIMEOUT(pointsOf(0).size(), training.size(), kPatienceMs);
    QVERIFY(pointsOf(0) == training);
    QVERIFY(pointsOf(1) == record.of("eval/loss_total"));
    QVERIFY(!pointsOf(1).empty());
    QTRY_VERIFY(window_->isReady());
    const widgets::CurvePlot* plot = window_->monitorPage()->cards().front()->plot();
    QVERIFY(plot->drawnPointCount(0) > 0 && plot->drawnPointCount(1) > 0);
  }

  QString experimentText(const QString& data) {
    const auto base =
        QString::fromStdString((tests::sourceFolder() / "configs/cpu_small.yaml").string());
    return text(kWatchedExperiment).arg(base, data);
  }

  /// Types a value of a key into its row of the form, which the search shows.
  void enter(const char* key, const char* value) {
    auto* search = named<QLineEdit>("Search keys");
    QVERIFY(search);
    QTest::mouseClick(search, Qt::LeftButton);
    QTest::keyClicks(search, text(key).section(QLatin1Char('.'), -1));
    // Numbers are in the line of a box with arrows.
    auto* line = named<QLineEdit>(key);
    if (auto* box = named<QAbstractSpinBox>(key)) line = box->findChild<QLineEdit*>();
    QVERIFY(line);
    QTRY_VERIFY(line->isVisible());
    QTest::mouseClick(line, Qt::LeftButton);
    QTest::keySequence(line, QKeySequence::SelectAll);
    QTest::keyClicks(line, text(value));
    QTest::keyClick(line, Qt::Key_Return);
  }

  /// Number of pixels of the image in the colours of detections.
  int overlayPixels(widgets::ImageCanvas* canvas) {
    const QImage picture = canvas->grab().toImage();
    const widgets::Theme& theme = widgets::currentTheme();
    int found = 0;
    for (const auto verdict : {widgets::Verdict::TruePositive, widgets::Verdict::FalsePositive}) {
      const QColor colour = widgets::verdictColor(verdict, theme);
      for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x) found += isNear(picture.pixel(x, y), colour);
    }
    return found;
  }

  /// Rows of the table of instances that are detections, not missed objects.
  int detectionRows() {
    const QAbstractItemModel* rows = window_->findChild<widgets::InstanceTable*>()->model();
    int found = 0;
    for (int row = 0; row < rows->rowCount(); ++row) {
      const QVariant verdict = rows->index(row, 0).data(widgets::InstanceModel::kVerdictRole);
      found += verdict.toInt() != static_cast<int>(widgets::Verdict::Missed);
    }
    return found;
  }

  /// Shows the Predictions page with a low score threshold: after a few steps all scores are low.
  void showDetections() {
    window_->activateWindow();  // as a window manager does after a question
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    QTest::keyClick(window_.get(), Qt::Key_3, Qt::ControlModifier);
    QCOMPARE(window_->page(), app::Page::Predictions);
    auto* canvas = window_->findChild<widgets::ImageCanvas*>();
    QVERIFY(canvas);
    QTRY_VERIFY2_WITH_TIMEOUT(canvas->isVisible(), messages().constData(), kPatienceMs);
    QTest::mouseClick(canvas, Qt::LeftButton, {}, QPoint(3, 3));
    for (int i = 0; i < 10; ++i) QTest::keyClick(canvas, Qt::Key_Down, Qt::ShiftModifier);
    QTRY_VERIFY2_WITH_TIMEOUT(window_->isReady() && detectionRows() > 0, messages().constData(),
                              kPatienceMs);
  }

  /// Detections are drawn over the image, and the keys of the layers hide them.
  void compareLayers() {
    auto* canvas = window_->findChild<widgets::ImageCanvas*>();
    constexpr int kEnoughPixels = 300;
    QTRY_VERIFY_WITH_TIMEOUT(overlayPixels(canvas) > kEnoughPixels, kPatienceMs);
    const int shown = overlayPixels(canvas);
    for (const Qt::Key layer : {Qt::Key_G, Qt::Key_M, Qt::Key_B, Qt::Key_T})
      QTest::keyClick(canvas, layer);
    QVERIFY(overlayPixels(canvas) < shown - kEnoughPixels / 2);
  }

  /// The detections on the page are those of the run's file, all of them at score 0.
  void compareDetectionsWithTheFile(const QString& run) {
    const auto* view = window_->findChild<widgets::PredictionsView*>();
    const QString name =
        run +
        text("/predictions/step-%1.json").arg(view->currentCheckpoint(), 8, 10, QLatin1Char('0'));
    const auto file = nlohmann::json::parse(place_->read(name).toStdString());
    int written = 0;
    for (const auto& detection : file["detections"])
      written += detection["image_id"].get<std::int64_t>() == view->currentImage().value;
    QVERIFY(written > 0);
    QTRY_COMPARE(detectionRows(), written);
  }

  /// After Train the window shows the Monitor page with the run.
  void waitForTheRun(QString& run) {
    QTRY_VERIFY2_WITH_TIMEOUT(
        window_->page() == app::Page::Monitor && !window_->runsPanel()->currentRun().isEmpty(),
        messages().constData(), kPatienceMs);
    run = window_->runsPanel()->currentRun();
    QCOMPARE(run, QString::fromStdString(place_->onlyRun().folder.string()));
  }

  void waitForPoints(std::size_t training, std::size_t heldOut) {
    QTRY_VERIFY2_WITH_TIMEOUT(pointsOf(0).size() >= training && pointsOf(1).size() >= heldOut,
                              messages().constData(), kPatienceMs);
  }

  void waitForTheState(const QString& expected) {
    QTRY_COMPARE_WITH_TIMEOUT(state(), expected, kPatienceMs);
    const run_folder::Layout run(place_->onlyRun().folder);
    QTRY_VERIFY_WITH_TIMEOUT(!run_folder::RunLock::isHeld(run), kPatienceMs);
    QCOMPARE(QString::fromStdString(run_folder::readRunInfo(run).state.text()), expected);
  }

 private Q_SLOTS:
  void init() {
    place_ = std::make_unique<TestWorkspace>();
    place_->copyShapes();
  }

  void cleanup() {
    window_.reset();
    place_.reset();
  }

  void twoWindowsShareOneInspection() {
    place_->writeExperiment();
    const auto trained =
        place_->engine(tests::words("train experiment.yaml --set solver.max_steps=4 --set "
                                    "monitor.prediction_images=1 --output run"));
    QVERIFY2(trained.status == 0, trained.err.constData());
    const QString run = place_->path(text("run"));
    auto first = windowOn({run}), second = windowOn({run});
    STEP(predictUnwatched(*first, 4));
    STEP(predictUnwatched(*second, 4));
    first.reset();  // and its worker
    STEP(predictUnwatched(*second, 2));
  }

  void anEditedExperimentIsTrainedWatchedAndStopped_data() {
    QTest::addColumn<bool>("isReal");
    QTest::newRow("made scenes") << false;
    QTest::newRow("droplets") << true;
  }
  void anEditedExperimentIsTrainedWatchedAndStopped() {
    QFETCH(bool, isReal);
    const auto droplets = tests::realData("droplets");
    if (isReal && droplets.empty()) QSKIP("LOCKSTEP_TEST_DATA has no droplets");
    const QString data =
        isReal ? QString::fromStdString(droplets.string()) : place_->path(text("shapes"));
    const QString before = experimentText(data);
    place_->write(text("experiment.yaml"), before.toUtf8());
    STEP(open({place_->path(text("experiment.yaml"))}));
    QCOMPARE(window_->page(), app::Page::Configure);

    STEP(enter("solver.base_lr", "0.0125"));
    const QString after = QString(before).replace(text("base_lr: 0.02 "), text("base_lr: 0.0125 "));
    QVERIFY(after != before);
    QCOMPARE(window_->findChild<widgets::YamlText*>()->text(), after);

    STEP(pressTrainAndSave());
    QString run;
    STEP(waitForTheRun(run));
    QCOMPARE(QString::fromUtf8(place_->read(text("experiment.yaml"))), after);
    STEP(waitForPoints(5, 1));
    QVERIFY(place_->read(run + text("/config.yaml")).contains("base_lr: 0.0125\n"));
    QCOMPARE(place_->curvesOf(run).of("solver/lr").at(1), 0.0125F);

    STEP(showDetections());
    STEP(compareLayers());
    STEP(press(button("stopButton")));
    STEP(waitForTheState(text("stopped")));
    STEP(compareWithTheLog(run));
    STEP(close());

    STEP(open({}));  // the newest run below $LOCKSTEP_RUNS
    QTRY_COMPARE(window_->runsPanel()->currentRun(), run);
    QCOMPARE(state(), text("stopped"));
    STEP(compareWithTheLog(run));
    STEP(showDetections());
    STEP(compareDetectionsWithTheFile(run));
    STEP(close());
  }

  void aRunContinuesWithoutTheWindowAndIsFoundAgain() {
    place_->write(text("experiment.yaml"), experimentText(place_->path(text("shapes"))).toUtf8());
    STEP(open({place_->path(text("experiment.yaml"))}));
    QTest::keyClick(window_.get(), Qt::Key_Return, Qt::ControlModifier);
    QString run;
    STEP(waitForTheRun(run));
    STEP(waitForPoints(2, 0));
    const std::size_t seen = pointsOf(0).size();
    const auto pid = static_cast<pid_t>(place_->onlyRun().info.pid);
    QVERIFY(pid > 1);
    STEP(close());

    // The run continues without a window.
    QTRY_VERIFY_WITH_TIMEOUT(place_->curvesOf(run).of("train/loss_total").size() >= seen + 4,
                             kPatienceMs);
    QCOMPARE(::kill(pid, 0), 0);
    QVERIFY(place_->onlyRun().alive);

    STEP(open({run}));
    QCOMPARE(window_->runsPanel()->currentRun(), run);
    const std::size_t found = pointsOf(0).size();
    QVERIFY(found >= seen + 4);
    STEP(waitForPoints(found + 4, 1));  // live again
    QCOMPARE(static_cast<pid_t>(place_->onlyRun().info.pid), pid);

    QTest::keyClick(window_.get(), Qt::Key_Period, Qt::ControlModifier);
    STEP(waitForTheState(text("stopped")));
    STEP(compareWithTheLog(run));
    STEP(close());

    STEP(open({run}));
    STEP(compareWithTheLog(run));
    STEP(close());
  }
};

LOCKSTEP_TEST(TstWindow)
#include "tst_window.moc"
