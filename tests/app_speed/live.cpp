// A run that trains while the window shows it.
#include <QEvent>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>
#include <map>

#include "app/monitor/monitor_page.h"
#include "app/runs/open/open_runs.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/app/made_run.h"
#include "tests/app_speed/live_engine.h"
#include "tests/app_speed/measure.h"
#include "widgets/plots/curve_card.h"

namespace lockstep::speed {
namespace {

using Clock = std::chrono::steady_clock;

/// Notes when a step of a run has been painted in a plot.
class PaintedSteps : public QObject {
 public:
  PaintedSteps(app::RunController* run, widgets::CurvePlot* plot) : run_(run) {
    connect(plot, &widgets::CurvePlot::drawn, this,
            [this] { drawn_ = run_->history().metrics().lastStep(); });
    plot->installEventFilter(this);
    for (QWidget* child : plot->findChildren<QWidget*>()) child->installEventFilter(this);
  }
  std::int64_t painted() const { return painted_; }
  std::map<std::int64_t, Clock::time_point> sentAt;
  std::vector<double> delays;  ///< ms

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() != QEvent::Paint || drawn_ == painted_ || isPainting_) return false;
    isPainting_ = true;
    QTimer::singleShot(0, this, [this, drawn = drawn_] {
      isPainting_ = false;
      painted_ = drawn;
      const auto now = Clock::now();
      while (!sentAt.empty() && sentAt.begin()->first <= drawn) {
        delays.push_back(
            std::chrono::duration<double, std::milli>(now - sentAt.begin()->second).count());
        sentAt.erase(sentAt.begin());
      }
    });
    return false;
  }

 private:
  app::RunController* run_;
  std::int64_t drawn_ = 0, painted_ = 0;
  bool isPainting_ = false;
};

/// A window on a live run, connected to it.
struct LiveWindow {
  LiveWindow(const QStringList& paths, LiveEngine& engine) : window(&theme, windowOn(paths)) {
    window.show();
    waitUntil("the window", [&] { return window.isReady(); });
    run = window.findChild<app::OpenRuns*>()->find(engine.folder());
    waitUntil("the connection", [&] {
      return engine.hasClient() && run->linkState() == app::EngineLink::State::Connected;
    });
  }
  widgets::ThemeSwitch theme;
  app::MainWindow window;
  app::RunController* run = nullptr;
};

}  // namespace

void measurePointToPixel() {
  QTemporaryDir folder;
  LiveEngine engine(folder.path(), "live", 1000);
  QStringList paths{engine.folder()};
  for (int i = 0; i < 19; ++i) {
    tests::MadeRun made;
    made.name = "run-" + std::to_string(i);
    made.steps = made.maxSteps = 1000;
    made.evaluateEvery = 100;
    made.lossOffset = 0.01 * i;
    paths.append(tests::makeRun(folder.path(), made));
  }
  LiveWindow live(paths, engine);
  PaintedSteps painted(live.run, live.window.monitorPage()->cards().front()->plot());
  constexpr int kPoints = 1000, kEveryMs = 15;
  QTimer sender;
  int sent = 0;
  QObject::connect(&sender, &QTimer::timeout, &sender, [&] {
    const auto now = Clock::now();
    painted.sentAt[engine.sendStep()] = now;
    if (++sent == kPoints) sender.stop();
  });
  sender.start(kEveryMs);
  waitUntil("a thousand points", [&] { return painted.delays.size() == kPoints; });
  print("point_to_pixel_p95_ms", percentile(painted.delays, 0.95));
  print("point_to_pixel_median_ms", median(painted.delays));
}

void measureIdleLive() {
  QTemporaryDir folder;
  LiveEngine engine(folder.path(), "live", 5000);
  LiveWindow live({engine.folder()}, engine);
  runFor(2000);
  QTimer sender;
  QObject::connect(&sender, &QTimer::timeout, &sender, [&] { engine.sendStep(); });
  sender.start(500);
  const double before = cpuSeconds();
  QElapsedTimer clock;
  clock.start();
  // Not runFor(): its own wake-ups would count.
  QTimer::singleShot(20000, &sender, [&sender] { sender.stop(); });
  while (sender.isActive()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
  print("idle_live_cpu_percent", 100 * (cpuSeconds() - before) / (millisecondsOf(clock) / 1e3));
}

}  // namespace lockstep::speed
