#include "app/frame/inspector.h"

#include <QApplication>
#include <chrono>

#include "app/docks/fact_panel.h"
#include "app/frame/inspected_run.h"
#include "app/frame/page_area.h"
#include "app/monitor/card_sections.h"
#include "app/monitor/monitor_page.h"
#include "app/predictions_page/inspected_instance.h"
#include "app/predictions_page/predictions_page.h"
#include "app/runs/list/run_list_model.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/plots/curve_card.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::milliseconds kPause{150};

}  // namespace

Inspector::Inspector(FactPanel* panel, RunListModel* runs, PageArea* pages, QObject* parent)
    : QObject(parent), panel_(panel), runList_(runs), pages_(pages) {
  pause_.setSingleShot(true);
  pause_.setInterval(kPause);
  connect(&pause_, &QTimer::timeout, this, &Inspector::update);
  connect(panel_, &FactPanel::shown, this, &Inspector::update);
  connect(runList_, &RunListModel::runChanged, this, &Inspector::updateSoon);
  connect(pages_, &PageArea::pageShown, this, &Inspector::updateSoon);
  connect(qApp, &QApplication::focusChanged, this,
          [this](QWidget*, QWidget* now) { takeFocus(now); });
}

void Inspector::setRuns(const std::vector<ShownRun>& runs) {
  runs_ = runs;
  connections_ = std::make_unique<QObject>();
  for (const ShownRun& shown : runs_) {
    if (!shown.run) continue;
    connect(shown.run, &RunController::loaded, connections_.get(), [this] { updateSoon(); });
    connect(shown.run, &RunController::changed, connections_.get(),
            [this](const RunChanges& changes) {
              if (changes.checkpoints || changes.state) recordOf_.clear();
              updateSoon();
            });
  }
  reading_.cancel();
  recordOf_.clear();
  record_ = {};
  updateSoon();
}

void Inspector::updateSoon() {
  if (panel_->isVisible() && !pause_.isActive()) pause_.start();
}

void Inspector::takeFocus(QWidget* focused) {
  for (QWidget* each = focused; each; each = each->parentWidget())
    if (auto* card = qobject_cast<widgets::CurveCard*>(each)) {
      card_ = card;
      return updateSoon();
    }
}

void Inspector::connectPredictions() {
  if (std::exchange(hasPredictions_, true)) return;
  connect(pages_->predictionsPage()->view(), &widgets::PredictionsView::choiceChanged, this,
          &Inspector::updateSoon);
}

void Inspector::update() {
  if (!panel_->isVisible()) return;
  readRecord();
  std::vector<Inspected> things{thingOfRun()};
  if (pages_->page() == Page::Monitor) things.push_back(thingOfCard());
  if (pages_->page() == Page::Predictions) {
    connectPredictions();
    things.push_back(inspectedInstance(*pages_->predictionsPage()->view()));
  }
  panel_->setThings(things);
}

void Inspector::readRecord() {
  const RunController* run = runs_.empty() ? nullptr : runs_.front().run.data();
  if (!run || run->place() || run->program() || run->folder() == recordOf_) return;
  recordOf_ = run->folder();
  reading_.cancel();
  reading_ = jobs::start(
      this, jobs::Kind::Disk, [folder = recordOf_.toStdString()] { return readRunRecord(folder); },
      [this](const RunRecord& record) {
        record_ = record;
        updateSoon();
      });
}

Inspected Inspector::thingOfRun() const {
  const RunController* run = runs_.empty() ? nullptr : runs_.front().run.data();
  if (!run) return {tr("Run"), tr("Select one in the list of runs")};
  return inspectedRun(runList_->index(runList_->rowOf(run->folder())), *run, record_);
}

Inspected Inspector::thingOfCard() const {
  Inspected thing{tr("Card"), tr("Click the curves of one, or go to it with Tab")};
  pages_->monitorPage()->sections()->forEachCard(
      [&](const widgets::CurveCard* card, const CardPlan& plan) {
        if (card == card_) thing = inspectedCard(plan, runs_);
      });
  return thing;
}

}  // namespace lockstep::app
