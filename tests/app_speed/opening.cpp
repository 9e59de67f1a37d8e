// How fast the window appears, and how fast a run of a million points does.
#include <QApplication>
#include <QEvent>
#include <QProcess>
#include <QTemporaryDir>
#include <QTimer>
#include <chrono>

#include "app/frame/main_window.h"
#include "app/runs/open/open_runs.h"
#include "tests/app/made_run.h"
#include "tests/app_speed/measure.h"
#include "tests/support/test_data.h"

namespace lockstep::speed {
namespace {

double epochMilliseconds() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Prints when the first widget of the program has been painted, and ends the program.
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

/// TensorBoard's own reader on the same folder; NaN where it is not installed.
double tensorBoardMilliseconds(const QString& folder) {
  if (tests::python().isEmpty()) return std::nan("");
  QProcess process;
  process.start(
      tests::python(),
      {QStringLiteral("-c"),
       QStringLiteral("import sys, time\n"
                      "from tensorboard.backend.event_processing import event_accumulator as e\n"
                      "start = time.perf_counter()\n"
                      "e.EventAccumulator(sys.argv[1], size_guidance={e.SCALARS: 0}).Reload()\n"
                      "print((time.perf_counter() - start) * 1e3)\n"),
       folder});
  process.waitForFinished(300000);
  bool isNumber = false;
  const double milliseconds = process.readAllStandardOutput().trimmed().toDouble(&isNumber);
  return isNumber ? milliseconds : std::nan("");
}

}  // namespace

int showEmptyWindow(double startedAt) {
  QTemporaryDir folder;
  widgets::ThemeSwitch theme;
  app::MainWindow window(&theme, windowOn({folder.path()}));
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
  std::vector<double> times;
  for (int i = 0; i < 3; ++i) {
    QElapsedTimer clock;
    clock.start();
    widgets::ThemeSwitch theme;
    app::MainWindow window(&theme, windowOn({path}));
    window.show();
    waitUntil("a run of a million points", [&] { return window.isReady(); });
    times.push_back(millisecondsOf(clock));
    if (i > 0) continue;
    const auto* runs = window.findChild<app::OpenRuns*>();
    print("points", static_cast<double>(runs->find(path)->history().metrics().pointCount()));
  }
  print("open_million_points_ms", median(times));
  print("tensorboard_million_points_ms", tensorBoardMilliseconds(path));
}

}  // namespace lockstep::speed
