// How MonitorPage shows its cards, kept for the next start: axes, zoom, search.
#include <algorithm>
#include <utility>

#include "app/cards/tag_sections.h"
#include "app/monitor/card_sections.h"
#include "app/monitor/curve_tools.h"
#include "app/monitor/monitor_page.h"
#include "widgets/plots/curve_card.h"

namespace lockstep::app {
namespace {

const QString kAxis = QStringLiteral("axis"), kWords = QStringLiteral("words"),
              kLogX = QStringLiteral("logX"), kCards = QStringLiteral("cards"),
              kLogY = QStringLiteral("logY"), kOutliers = QStringLiteral("ignoreOutliers"),
              kX = QStringLiteral("x"), kY = QStringLiteral("y"), kRuns = QStringLiteral("runs");

using Zoomed = std::optional<std::pair<double, double>>;

QVariant toVariant(const Zoomed& range) {
  return range ? QVariantList{range->first, range->second} : QVariantList();
}

Zoomed toRange(const QVariant& kept) {
  const QVariantList ends = kept.toList();
  if (ends.size() != 2 || !(ends[0].toDouble() < ends[1].toDouble())) return std::nullopt;
  return std::pair(ends[0].toDouble(), ends[1].toDouble());
}

}  // namespace

QVariantMap MonitorPage::viewState() const {
  if (keptView_) return *keptView_;
  QVariantMap cardStates;
  bool isLogX = false;
  sections_->forEachCard([&](const widgets::CurveCard* card, const CardPlan& plan) {
    const widgets::CurvePlot* plot = card->plot();
    isLogX = plot->isLogX();
    cardStates[cardId(plan)] = QVariantMap{{kLogY, plot->isLogY()},
                                           {kOutliers, plot->isIgnoringOutliers()},
                                           {kX, toVariant(plot->zoom().x)},
                                           {kY, toVariant(plot->zoom().y)}};
  });
  QStringList folders;
  for (const ShownRun& shown : runs_)
    if (shown.run) folders << shown.run->folder();
  return {{kAxis, static_cast<int>(axis_)},
          {kRuns, folders},
          {kWords, tools_->words()},
          {kLogX, isLogX},
          {kCards, cardStates}};
}

void MonitorPage::restoreViewState(const QVariantMap& state) {
  tools_->setXAxis(static_cast<widgets::XAxis>(state.value(kAxis).toInt()));
  tools_->setWords(state.value(kWords).toString());
  keptView_ = state;
  applyKeptView();
}

/// A zoom is of points: it waits for them.
void MonitorPage::applyKeptView() {
  const bool isLoaded = !runs_.empty() && std::ranges::all_of(runs_, [](const ShownRun& shown) {
    return shown.run && shown.run->isLoaded();
  });
  if (!keptView_ || !isLoaded) return;
  const QVariantMap view = *std::exchange(keptView_, std::nullopt);
  const QVariantMap cardStates = view.value(kCards).toMap();
  const QStringList folders = view.value(kRuns).toStringList();
  const bool isOfThese = std::ranges::any_of(
      runs_, [&](const ShownRun& shown) { return folders.contains(shown.run->folder()); });
  sections_->forEachCard([&](widgets::CurveCard* card, const CardPlan& plan) {
    const QVariantMap state = cardStates.value(cardId(plan)).toMap();
    widgets::CurvePlot* plot = card->plot();
    if (view.value(kLogX).toBool() != plot->isLogX()) plot->setLogX(!plot->isLogX());
    if (state.isEmpty()) return;
    if (state.value(kLogY).toBool() != plot->isLogY()) plot->setLogY(!plot->isLogY());
    plot->setIgnoreOutliers(state.value(kOutliers).toBool());
    if (isOfThese) plot->setZoom({toRange(state.value(kX)), toRange(state.value(kY))});
  });
}

}  // namespace lockstep::app
