// What a person does with the window in an hour, without the pauses between.
#include <QAbstractItemView>
#include <QScrollArea>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "app/frame/page_area.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/app/made_run.h"
#include "tests/app_speed/gui_pauses.h"
#include "tests/app_speed/live_engine.h"
#include "tests/app_speed/measure.h"
#include "tests/support/test_data.h"
#include "widgets/plots/curve_card.h"

namespace lockstep::speed {
namespace {

/// The runs and the experiment of the hour. With LOCKSTEP_TEST_DATA the runs have droplets' images.
struct Desk {
  QTemporaryDir folder;
  std::unique_ptr<LiveEngine> engine;
  QString experiment;

  Desk() {
    tests::MadeRun made;
    made.steps = made.maxSteps = 1000;
    made.evaluateEvery = 100;
    if (const auto data = tests::realData("droplets"); !data.empty()) {
      made.valImages = (data / "val").string();
      made.valAnnotations = (data / "annotations" / "instances_val.json").string();
      made.watchedImages = {1, 2, 3};
    }
    for (int i = 0; i < 200; ++i) {
      made.name = "run-" + std::to_string(i);
      made.created += 60;
      made.lossOffset = 0.002 * i;
      tests::makeRun(folder.path(), made);
    }
    engine = std::make_unique<LiveEngine>(folder.path(), "live", 2000);
    experiment = folder.filePath(QStringLiteral("experiment.yaml"));
    std::filesystem::copy(tests::sourceFolder() / "configs" / "cpu_small.yaml",
                          experiment.toStdString());
  }
};

void hover(widgets::CurvePlot* plot) {
  for (int i = 1; i < 20; ++i) {
    QTest::mouseMove(plot->childAt(plot->rect().center()),
                     {plot->width() * i / 20, plot->height() / 2});
    runFor(8);
  }
}

void drag(widgets::CurvePlot* plot, Qt::KeyboardModifiers modifiers) {
  QWidget* target = plot->childAt(plot->rect().center());
  const int middle = plot->height() / 2;
  QTest::mousePress(target, Qt::LeftButton, modifiers, {plot->width() / 3, middle});
  for (int i = 0; i < 12; ++i) {
    QTest::mouseMove(target, {plot->width() / 3 + 8 * i, middle + i});
    runFor(8);
  }
  QTest::mouseRelease(target, Qt::LeftButton, modifiers, {plot->width() / 3 + 96, middle + 12});
}

void useMonitor(app::MainWindow& window, int round) {
  window.showPage(app::Page::Monitor);
  auto* list = window.runsPanel()->findChild<QAbstractItemView*>(QStringLiteral("runList"));
  list->selectionModel()->setCurrentIndex(list->model()->index(round % 50, 0),
                                          QItemSelectionModel::ClearAndSelect);
  runFor(60);
  for (int i = 1; i < 1 + round % 20; ++i) {
    list->selectionModel()->select(list->model()->index((round + i) % 100, 0),
                                   QItemSelectionModel::Select);
    runFor(8);  // a click each
  }
  runFor(120);
  const auto& cards = window.monitorPage()->cards();
  widgets::CurvePlot* plot = cards[static_cast<std::size_t>(round) % 3]->plot();
  hover(plot);
  drag(plot, Qt::NoModifier);
  drag(plot, Qt::ShiftModifier);
  QTest::keyClick(&window, round % 2 == 0 ? Qt::Key_L : Qt::Key_O);
  runFor(60);
  plot->resetView();
  QTest::keyClick(&window, Qt::Key_M);
  runFor(60);
  QTest::keyClick(&window, Qt::Key_M);
  for (QScrollArea* area : window.monitorPage()->findChildren<QScrollArea*>()) {
    area->verticalScrollBar()->setValue(area->verticalScrollBar()->maximum());
    runFor(60);
    area->verticalScrollBar()->setValue(0);
  }
  runFor(60);
}

void useFilter(app::MainWindow& window) {
  window.runsPanel()->focusFilter();
  for (const char key : std::string("run-1")) QTest::keyClick(window.focusWidget(), key);
  runFor(250);
  window.runsPanel()->clearFilter();
  runFor(60);
}

void useOtherPages(app::MainWindow& window, int round) {
  window.showPage(app::Page::Predictions);
  runFor(150);
  for (int i = 0; i < 4; ++i) {
    QTest::keyClick(window.focusWidget() ? window.focusWidget() : &window, Qt::Key_Right);
    runFor(40);
  }
  window.showPage(app::Page::Configure);
  runFor(100);
  if (QWidget* target = window.focusWidget())
    for (int i = 0; i < 4; ++i) QTest::keyClick(target, Qt::Key_Down);
  runFor(60);
  window.resize(round % 2 == 0 ? QSize(1280, 720) : QSize(1600, 1000));
  runFor(100);
}

}  // namespace

void measureThemeSwitch() {
  Desk desk;
  widgets::ThemeSwitch theme;
  app::MainWindow window(&theme, windowOn({desk.folder.path(), desk.experiment}));
  window.show();
  waitUntil("the window", [&] { return window.isReady(); });
  GuiPauses pauses;
  for (const auto& [name, page] : {std::pair{"theme_switch_ms_monitor", app::Page::Monitor},
                                   std::pair{"theme_switch_ms_predictions", app::Page::Predictions},
                                   std::pair{"theme_switch_ms_configure", app::Page::Configure}}) {
    window.showPage(page);
    waitUntil("a page", [&] { return window.isReady(); });
    runFor(300);
    pauses.take();
    for (const auto mode : {widgets::ThemeSwitch::Mode::Light, widgets::ThemeSwitch::Mode::Dark}) {
      theme.setMode(mode);
      runFor(300);
    }
    print(name, percentile(pauses.take(), 1));
  }
}

void measureHourOfUse() {
  Desk desk;
  widgets::ThemeSwitch theme;
  app::MainWindow window(&theme, windowOn({desk.folder.path(), desk.experiment}));
  window.show();
  waitUntil("the window", [&] { return window.isReady(); });
  // Each page once: "after start".
  for (const app::Page page : {app::Page::Predictions, app::Page::Configure, app::Page::Monitor}) {
    window.showPage(page);
    waitUntil("a page", [&] { return window.isReady(); });
  }
  runFor(500);
  QTimer sender;
  QObject::connect(&sender, &QTimer::timeout, &sender, [&] {
    if (desk.engine->hasClient()) desk.engine->sendStep();
  });
  sender.start(200);
  GuiPauses pauses;
  pauses.take();
  constexpr int kRounds = 40;
  std::vector<double> all;
  std::map<std::string, double> longest;  // by what was used
  const auto use = [&](const char* what, auto action) {
    action();
    const std::vector<double> delays = pauses.take();
    all.insert(all.end(), delays.begin(), delays.end());
    if (!delays.empty()) longest[what] = std::max(longest[what], percentile(delays, 1));
  };
  for (int round = 0; round < kRounds; ++round) {
    use("monitor", [&] { useMonitor(window, round); });
    if (round % 3 == 0) use("filter", [&] { useFilter(window); });
    if (round % 4 == 0) use("pages", [&] { useOtherPages(window, round); });
    if (round % 10 == 5) {
      use("theme", [&] {
        theme.setMode(round % 20 == 5 ? widgets::ThemeSwitch::Mode::Light
                                      : widgets::ThemeSwitch::Mode::Dark);
        runFor(60);
      });
    }
  }
  for (const auto& [what, delay] : longest) print(("longest_gui_block_ms_" + what).c_str(), delay);
  print("gui_block_p999_ms", percentile(all, 0.999));
  print("longest_gui_block_ms", percentile(all, 1));
}

}  // namespace lockstep::speed
