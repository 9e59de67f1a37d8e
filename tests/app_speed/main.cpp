// app_speed: measures the app's speed on this machine, offscreen. Prints `name=value` lines.
#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

#include "app/controllers/metric_curve.h"
#include "app/frame/main_window.h"
#include "app/models/decimation.h"
#include "app/models/metric_store.h"
#include "app/monitor/monitor_page.h"
#include "engine/events/writer.h"
#include "tests/app/made_run.h"
#include "widgets/plots/curve_card.h"

using namespace lockstep;

namespace {

double epochMilliseconds() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void print(const char* name, double value) {
  std::printf("%s=%.2f\n", name, value);
  std::fflush(stdout);
}

double privateMegabytes() {
  std::ifstream smaps("/proc/self/smaps_rollup");
  std::string line;
  double kilobytes = 0;
  while (std::getline(smaps, line))
    if (line.starts_with("Private_Dirty:") || line.starts_with("Private_Clean:"))
      kilobytes += std::stod(line.substr(14));
  return kilobytes / 1024;
}

/// Measures when the window was painted for the first time.
class FirstPaint : public QObject {
 public:
  explicit FirstPaint(double startedAt) : startedAt_(startedAt) {}

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Paint && watched->isWidgetType() && !done_) {
      done_ = true;
      QTimer::singleShot(0, this, [this] {
        print("first_paint_ms", epochMilliseconds() - startedAt_);
        QCoreApplication::exit(0);
      });
    }
    return false;
  }

 private:
  double startedAt_;
  bool done_ = false;
};

app::MainWindowOptions optionsFor(const QStringList& paths) {
  app::MainWindowOptions options;
  options.paths = paths;
  options.size = QSize(1600, 1000);
  options.keepLayout = false;
  return options;
}

int showEmptyWindow(double startedAt) {
  QTemporaryDir folder;
  widgets::ThemeSwitch theme;
  app::MainWindow window(&theme, optionsFor({folder.path()}));
  FirstPaint first(startedAt);
  qApp->installEventFilter(&first);
  window.show();
  return QApplication::exec();
}

void measureFirstPaint() {
  for (int i = 0; i < 3; ++i) {
    QProcess process;
    process.setProcessChannelMode(QProcess::ForwardedChannels);
    process.start(QCoreApplication::applicationFilePath(),
                  {QStringLiteral("--first-paint"), QString::number(epochMilliseconds(), 'f', 3)});
    process.waitForFinished();
  }
}

void measureOpening() {
  QTemporaryDir folder;
  tests::MadeRun run;
  run.steps = run.maxSteps = 91000;  // 11 scalars each: a million points
  run.evaluateEvery = 1000;
  const QString path = tests::makeRun(folder.path(), run);
  QElapsedTimer clock;
  clock.start();
  app::RunController controller(path);
  controller.refresh();
  const bool loaded = QTest::qWaitFor([&] { return controller.isLoaded(); }, 60000);
  print("points", loaded ? static_cast<double>(controller.history().metrics().pointCount()) : 0);
  print("open_million_points_ms", static_cast<double>(clock.nsecsElapsed()) / 1e6);
}

void measureTenMillion() {
  const double before = privateMegabytes();
  app::MetricStore store;
  for (int i = 0; i < 10'000'000; ++i)
    store.append(i + 1, 1e9 + 0.1 * i,
                 {{"train/loss_total", static_cast<float>(1 + std::sin(i * 1e-4))}});
  print("ten_million_points_mb", privateMegabytes() - before);
  std::vector<double> edges(1401);
  QElapsedTimer clock;
  clock.start();
  std::size_t drawn = 0;
  constexpr int kFrames = 200;
  for (int frame = 0; frame < kFrames; ++frame) {
    for (std::size_t i = 0; i < edges.size(); ++i)
      edges[i] = 20000.0 * frame + 4000.0 * static_cast<double>(i);
    drawn += decimate(*store.series("train/loss_total"), app::XScale{}, edges, true).raw.size();
  }
  print("decimate_ms", static_cast<double>(clock.nsecsElapsed()) / 1e6 / kFrames);
  print("drawn_points", static_cast<double>(drawn) / kFrames);
}

/// Ten million points in the real window, panned.
void measurePanning() {
  QTemporaryDir folder;
  tests::MadeRun run;
  const QString path = tests::makeRun(folder.path(), run);
  widgets::ThemeSwitch theme;
  app::MainWindow window(&theme, optionsFor({path}));
  window.show();
  if (!QTest::qWaitFor([&] { return window.isReady(); }, 60000)) return;
  app::OpenRuns* runs = window.findChild<app::OpenRuns*>();
  app::MetricStore& metrics = runs->find(path)->history().metrics();
  for (int i = 0; i < 10'000'000; ++i)
    metrics.append(1000 + i, 1.8e9 + 0.1 * i,
                   {{"train/loss_total", static_cast<float>(1 + std::sin(i * 1e-4))}});
  print("window_with_ten_million_mb", privateMegabytes());
  widgets::CurvePlot* plot = window.monitorPage()->cards().front()->plot();
  int frames = 0;
  QObject::connect(plot, &widgets::CurvePlot::drawn, plot, [&frames] { ++frames; });
  QElapsedTimer clock;
  clock.start();
  constexpr int kFrames = 120;
  for (int i = 0; i < kFrames; ++i) {
    const int wanted = frames + 1;
    plot->setXView(10000.0 * i, 5e6 + 10000.0 * i);
    if (!QTest::qWaitFor([&] { return frames >= wanted; }, 5000)) return;
  }
  print("pan_frames_per_second", 1e3 * kFrames / static_cast<double>(clock.elapsed()));
}

void measureRunList() {
  QTemporaryDir folder;
  for (int i = 0; i < 100; ++i) {
    tests::MadeRun run;
    run.name = "run-" + std::to_string(i);
    run.steps = run.maxSteps = 2;
    run.created += i;
    tests::makeRun(folder.path(), run);
  }
  QElapsedTimer clock;
  clock.start();
  app::RunListModel model;
  model.setParentFolder(folder.path());
  if (!QTest::qWaitFor([&] { return model.isLoaded() && model.rowCount() == 100; }, 10000)) return;
  print("list_hundred_runs_ms", static_cast<double>(clock.nsecsElapsed()) / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  if (argc == 3 && std::string(argv[1]) == "--first-paint")
    return showEmptyWindow(std::stod(argv[2]));
  measureFirstPaint();
  measureOpening();
  measureTenMillion();
  measurePanning();
  measureRunList();
  return 0;
}
