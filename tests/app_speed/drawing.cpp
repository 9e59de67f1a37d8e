// Ten million points in the window, and a hundred runs at once.
#include <QAbstractItemView>
#include <QTemporaryDir>
#include <cmath>
#include <string>

#include "app/monitor/monitor_page.h"
#include "app/runs/open/open_runs.h"
#include "app/runs/panel/runs_panel.h"
#include "engine/supervisor/event_log.h"
#include "tests/app/made_run.h"
#include "tests/app_speed/gui_pauses.h"
#include "tests/app_speed/measure.h"
#include "tests/support/append_scalars.h"
#include "widgets/export/figure_file.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/heat_map.h"

namespace lockstep::speed {
namespace {

/// The plots in sight, and how often each has been drawn.
struct VisiblePlots {
  explicit VisiblePlots(const app::MonitorPage& page) {
    for (widgets::CurveCard* card : page.cards()) {
      if (!card->isVisible() || card->visibleRegion().isEmpty()) continue;
      plots.push_back(card->plot());
      drawings.push_back(0);
      QObject::connect(card->plot(), &widgets::CurvePlot::drawn, card->plot(),
                       [this, index = plots.size() - 1] { ++drawings[index]; });
    }
  }
  VisiblePlots(const VisiblePlots&) = delete;

  /// Shows this range in all of them, and waits until they are on the screen.
  void show(double low, double high) {
    std::fill(drawings.begin(), drawings.end(), 0);
    for (widgets::CurvePlot* plot : plots) plot->setXView(low, high);
    waitUntil("a frame", [this] {
      return std::all_of(drawings.begin(), drawings.end(), [](int count) { return count > 0; });
    });
  }

  std::vector<widgets::CurvePlot*> plots;
  std::vector<int> drawings;
};

double panFramesPerSecond(VisiblePlots& plots) {
  constexpr int kFrames = 60;
  QElapsedTimer clock;
  clock.start();
  for (int i = 0; i < kFrames; ++i) plots.show(10000.0 * i, 5e6 + 10000.0 * i);
  return 1e3 * kFrames / millisecondsOf(clock);
}

/// 20 tags in every step.
QString makeWideRun(const QString& parent, int number, std::int64_t steps) {
  const std::string name = "run-" + std::to_string(number);
  const auto folder = std::filesystem::path(parent.toStdString()) / name;
  run_folder::createRunFolderAt(folder);
  supervisor::EventLog log(folder, std::nullopt, [](const protocol::Alert&) {});
  for (std::int64_t step = 1; step <= steps; ++step) {
    events::ScalarValues values;
    const auto value =
        static_cast<float>(1 + 0.01 * number + 0.3 * std::sin(0.02 * static_cast<double>(step)) +
                           0.1 * std::sin(static_cast<double>(step * (number + 3))));
    for (const char* tag : {"train/loss_total",
                            "train/loss_classifier",
                            "train/loss_box_reg",
                            "train/loss_mask",
                            "train/loss_objectness",
                            "train/loss_rpn_box_reg",
                            "solver/lr",
                            "solver/grad_norm",
                            "time/step_seconds",
                            "time/data_seconds",
                            "time/images_per_second",
                            "box/accuracy",
                            "mask/accuracy",
                            "rpn/recall",
                            "rpn/positives",
                            "roi/positives",
                            "system/cpu_percent",
                            "system/memory_gib",
                            "rpn/matched/p2",
                            "rpn/matched/p3"})
      values.push_back({tag, value});
    tests::appendScalars(log, step, 1795255200 + static_cast<double>(step), values);
  }
  run_folder::RunInfo info;
  info.name = name;
  info.state = protocol::RunState::Finished;
  info.step = info.maxSteps = steps;
  info.created = info.started = 1795255200 + number;
  run_folder::writeRunInfo(run_folder::Layout(folder), info);
  return QString::fromStdString(folder.string());
}

}  // namespace

void measureTenMillionPoints() {
  QTemporaryDir folder;
  const QString path = tests::makeRun(folder.path(), tests::MadeRun());
  widgets::ThemeSwitch theme;
  app::MainWindow window(&theme, windowOn({path}));
  window.show();
  waitUntil("the window", [&] { return window.isReady(); });
  app::MetricStore& metrics = window.findChild<app::OpenRuns*>()->find(path)->history().metrics();
  for (int i = 0; i < 10'000'000; ++i)
    metrics.append(1000 + i, 1.8e9 + 0.1 * i,
                   {{"train/loss_total", static_cast<float>(1 + std::sin(i * 1e-4))}});
  VisiblePlots plots(*window.monitorPage());
  plots.show(0, 5e6);
  print("window_with_ten_million_mb", privateMebibytes());
  std::vector<double> rates;
  for (int i = 0; i < 3; ++i) rates.push_back(panFramesPerSecond(plots));
  print("panned_cards", static_cast<double>(plots.plots.size()));
  print("pan_frames_per_second", median(rates));
}

void measureHundredRuns() {
  QTemporaryDir folder;
  for (int i = 0; i < 100; ++i) makeWideRun(folder.path(), i, 1000);
  widgets::ThemeSwitch theme;
  app::MainWindow window(&theme, windowOn({folder.path()}));
  window.show();
  waitUntil("the window", [&] { return window.isReady(); });
  auto* list = window.runsPanel()->findChild<QAbstractItemView*>(QStringLiteral("runList"));
  QElapsedTimer clock;
  clock.start();
  list->selectAll();
  waitUntil("a hundred runs",
            [&] { return window.runsPanel()->selectedRuns().size() == 100 && window.isReady(); });
  print("select_hundred_runs_ms", millisecondsOf(clock));
  VisiblePlots plots(*window.monitorPage());
  GuiPauses pauses;
  for (int i = 0; i < 60; ++i) plots.show(i, 500 + i);
  const std::vector<double> delays = pauses.take();
  print("hundred_runs_frame_ms", percentile(delays, 0.99));
  print("hundred_runs_longest_frame_ms", percentile(delays, 1));
}

/// 20 cards of four runs: from the curves to the bytes of the file.
void measureExport() {
  constexpr std::size_t kCards = 20;
  QTemporaryDir folder;
  for (int i = 0; i < 4; ++i) makeWideRun(folder.path(), i, 10000);
  widgets::ThemeSwitch theme;
  app::MainWindow window(&theme, windowOn({folder.path()}));
  window.show();
  waitUntil("the window", [&] { return window.isReady(); });
  window.runsPanel()->findChild<QAbstractItemView*>(QStringLiteral("runList"))->selectAll();
  waitUntil("the runs",
            [&] { return window.runsPanel()->selectedRuns().size() == 4 && window.isReady(); });
  const app::MonitorPage& page = *window.monitorPage();
  const std::vector<widgets::CurveCard*> shown = page.shownCards();
  std::vector<widgets::CurveCard*> cards;  // the first ones of the page are there again
  for (std::size_t i = 0; i < kCards; ++i) cards.push_back(shown[i % shown.size()]);
  const struct {
    const char* name;
    widgets::FigureFormat format;
  } kFiles[] = {{"export_pdf_ms", widgets::FigureFormat::Pdf},
                {"export_svg_ms", widgets::FigureFormat::Svg},
                {"export_png_ms", widgets::FigureFormat::Png},
                {"export_tex_ms", widgets::FigureFormat::Tex},
                {"export_csv_ms", widgets::FigureFormat::Csv}};
  std::vector<double> taking;
  for (const auto& [name, format] : kFiles) {
    std::vector<double> times;
    for (int i = 0; i < 3; ++i) {
      QElapsedTimer clock;
      clock.start();
      const widgets::Figure figure = page.figureOf(cards, contentFor(format));
      taking.push_back(millisecondsOf(clock));
      fileOf(figure, format);
      times.push_back(millisecondsOf(clock));
    }
    print(name, median(times));
  }
  print("export_longest_on_gui_thread_ms", percentile(taking, 1));
}

/// From the values of 400 parameters at 2,000 steps to the picture of their map.
void measureHeatMap() {
  std::vector<widgets::HeatRow> rows(400);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    rows[r].name = QStringLiteral("backbone.body.layer%1.weight").arg(r);
    for (int step = 1; step <= 2000; ++step) {
      rows[r].steps.push_back(step);
      rows[r].values.push_back(std::exp(std::sin(0.01F * static_cast<float>(step * (r % 7 + 1))) -
                                        0.01F * static_cast<float>(r)));
    }
  }
  widgets::ThemeSwitch theme;
  widgets::HeatMap map;
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) {
    std::vector<widgets::HeatRow> copy = rows;
    QElapsedTimer clock;
    clock.start();
    map.setRows(std::move(copy), {1, 2000});
    map.resize(1400, map.sizeHint().height());
    map.grab();
    times.push_back(millisecondsOf(clock));
  }
  print("heat_map_ms", median(times));
}

}  // namespace lockstep::speed
