// Ten thousand runs in the list.
#include <QTemporaryDir>
#include <filesystem>
#include <fstream>
#include <string>

#include "app/runs/list/run_list_model.h"
#include "tests/app_speed/measure.h"

namespace lockstep::speed {
namespace {

namespace fs = std::filesystem;

void makeSmallRun(const fs::path& parent, int number) {
  const fs::path folder = parent / ("run-" + std::to_string(number));
  fs::create_directories(folder);
  run_folder::RunInfo info;
  info.name = "run-" + std::to_string(number);
  info.state = protocol::RunState::Finished;
  info.step = info.maxSteps = 1000;
  info.created = info.started = 1795255200 + number;
  info.best = run_folder::Best{"segm/AP", 0.3 + 1e-5 * number, 1000};
  run_folder::writeRunInfo(run_folder::Layout(folder), info);
  std::ofstream(folder / "config.yaml")
      << "name: run\nsolver: {base_lr: " << 0.001 * (1 + number % 20) << "}\n";
  std::ofstream(folder / "run.lock");
}

}  // namespace

void measureRunList() {
  constexpr int kRuns = 10000;
  QTemporaryDir folder;
  const fs::path parent = folder.path().toStdString();
  for (int i = 0; i < kRuns; ++i) makeSmallRun(parent, i);
  QElapsedTimer clock;
  clock.start();
  widgets::ThemeSwitch theme;
  app::MainWindow window(&theme, windowOn({folder.path()}));
  window.show();
  auto* model = window.findChild<app::RunListModel*>();
  waitUntil("ten thousand runs", [&] { return window.isReady() && model->rowCount() == kRuns; });
  print("list_ten_thousand_runs_ms", millisecondsOf(clock));
  runFor(3000);
  std::vector<double> times;
  for (int i = 0; i < 3; ++i) {
    const run_folder::Layout changed(parent / ("run-" + std::to_string(50 + i)));
    run_folder::RunInfo info = run_folder::readRunInfo(changed);
    info.step = 1;
    run_folder::writeRunInfo(changed, info);
    const double before = threadCpuMilliseconds();
    const int row = model->rowOf(QString::fromStdString(changed.folder().string()));
    model->refresh();
    while (model->index(row).data(app::RunListModel::StepRole).toLongLong() != 1)
      QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    times.push_back(threadCpuMilliseconds() - before);
  }
  print("refresh_ten_thousand_runs_ms", median(times));
}

}  // namespace lockstep::speed
