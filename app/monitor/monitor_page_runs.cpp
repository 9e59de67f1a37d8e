// Which of MonitorPage's runs are drawn, and how: hidden ones, and groups of runs as their mean.
#include <algorithm>
#include <utility>

#include "app/cards/run_groups.h"
#include "app/monitor/card_sections.h"
#include "app/monitor/monitor_page.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/run_legend.h"

namespace lockstep::app {

std::vector<ShownRun> MonitorPage::visibleRuns() const {
  std::vector<ShownRun> visible = runs_;
  std::erase_if(visible, [this](const ShownRun& shown) { return !shown.run || isHidden(shown); });
  return visible;
}

std::vector<RunGroup> MonitorPage::shownGroups() const {
  return groupsOf(runs_, cardSettings().joinsGroups);
}

std::vector<RunGroup> MonitorPage::visibleGroups() const {
  std::vector<RunGroup> groups = shownGroups();
  for (RunGroup& group : groups)
    std::erase_if(group.runs, [](const ShownRun& shown) { return !shown.run; });
  std::erase_if(groups, [this](const RunGroup& group) { return isHidden(group); });
  return groups;
}

void MonitorPage::toggleGroup(int group) {
  const std::vector<RunGroup> groups = shownGroups();
  if (group < 0 || group >= static_cast<int>(groups.size())) return;
  const RunGroup& chosen = groups[static_cast<std::size_t>(group)];
  const bool wasHidden = isHidden(chosen);
  for (const ShownRun& shown : chosen.runs) {
    if (!shown.run) continue;
    if (wasHidden)
      hiddenRuns_.remove(shown.run->folder());
    else
      hiddenRuns_.insert(shown.run->folder());
  }
  showOthers();
}

/// A single run has no legend that would show it again.
bool MonitorPage::isHidden(const ShownRun& shown) const {
  return runs_.size() > 1 && shown.run && hiddenRuns_.contains(shown.run->folder());
}

bool MonitorPage::isHidden(const RunGroup& group) const {
  return std::ranges::all_of(group.runs, [this](const ShownRun& run) { return isHidden(run); });
}

void MonitorPage::toggleGroups() {
  CardSettings settings = cardSettings();
  settings.joinsGroups = !settings.joinsGroups;
  setCardSettings(settings);
  Q_EMIT cardSettingsChanged();
}

/// Others of the runs, or in another way.
void MonitorPage::showOthers() {
  updateRunLegend();
  rebuildCurves();
  updateCurves();
}

void MonitorPage::showAllCurves() {
  hiddenCurves_.clear();
  hiddenRuns_.clear();
  sections_->forEachCard([](widgets::CurveCard* card, const CardPlan&) { card->setHidden({}); });
  showOthers();
}

void MonitorPage::updateRunLegend() {
  std::vector<widgets::RunLegend::Run> legend;
  for (const RunGroup& group : shownGroups())
    legend.push_back({group.name, group.styleIndex, isHidden(group)});
  runLegend_->setRuns(std::move(legend));
  runLegend_->setVisible(runs_.size() > 1);
}

}  // namespace lockstep::app
