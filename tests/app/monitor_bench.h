#pragma once

#include <QSize>
#include <QTemporaryDir>
#include <QTest>
#include <QVBoxLayout>
#include <QWidget>
#include <memory>
#include <vector>

#include "app/monitor/curve_tools.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/open/run_controller.h"
#include "tests/app/made_run.h"
#include "widgets/plots/curve_card.h"

namespace lockstep::tests {

/// A run that is made and read.
inline std::unique_ptr<app::RunController> openMade(const QTemporaryDir& parent,
                                                    const MadeRun& plan = {}) {
  auto run = std::make_unique<app::RunController>(makeRun(parent.path(), plan));
  run->refresh();
  if (!QTest::qWaitFor([&run] { return run->isLoaded(); })) qFatal("the run is not read");
  return run;
}

/// Shows runs, and waits until they are drawn.
inline void show(app::MonitorPage& page, std::vector<app::ShownRun> runs,
                 QSize size = QSize(1100, 700)) {
  page.resize(size);
  page.setRuns(std::move(runs));
  page.show();
  QTRY_VERIFY(page.isReady());
}

inline widgets::CurveCard* cardTitled(const app::MonitorPage& page, const QString& title) {
  for (widgets::CurveCard* card : page.cards())
    if (card->title() == title) return card;
  return nullptr;
}

/// The Monitor page with a run, in a window with its tools.
class MonitorBench {
 public:
  explicit MonitorBench(QSize size = QSize(1130, 720)) {
    auto* column = new QVBoxLayout(&window_);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(page_->tools());
    column->addWidget(page_, 1);
    window_.resize(size);
    page_->setRuns({{run_.get(), QStringLiteral("made"), 0}});
    window_.show();
    if (!QTest::qWaitForWindowActive(&window_)) qFatal("the page is not active");
    waitUntilReady();
  }
  QWidget& window() { return window_; }
  app::MonitorPage& page() const { return *page_; }
  app::RunController& run() const { return *run_; }
  widgets::CurvePlot* plot(std::size_t card) const { return page_->cards().at(card)->plot(); }
  void waitUntilReady() const { QTRY_VERIFY(page_->isReady()); }

 private:
  QTemporaryDir parent_;
  std::unique_ptr<app::RunController> run_ = openMade(parent_);
  QWidget window_;
  app::MonitorPage* page_ = new app::MonitorPage;
};

}  // namespace lockstep::tests
