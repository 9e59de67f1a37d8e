#include "app/monitor/monitor_page.h"

#include <QCursor>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "app/controllers/card_curves.h"
#include "app/controllers/metric_curve.h"
#include "app/models/card_facts.h"
#include "app/models/checkpoint_text.h"
#include "app/models/evaluation_plan.h"
#include "app/models/run_alerts.h"
#include "app/monitor/alert_banner.h"
#include "app/monitor/card_grid.h"
#include "app/monitor/curve_tools.h"
#include "app/monitor/parameter_section.h"
#include "app/monitor/tag_cards.h"
#include "engine/events/tags.h"
#include "widgets/empty_state.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/run_legend.h"
#include "widgets/role.h"
#include "widgets/throttle.h"

namespace lockstep::app {
namespace {

constexpr int kSpaciousPx = 760, kNoteMarginPx = 16;
constexpr std::chrono::milliseconds kRedrawInterval{33};
const QString kPinned = QStringLiteral("pinned"), kParameters = QStringLiteral("parameters");
/// The first row of sections stands below the pinned cards and the grid.
constexpr int kFirstSection = 2;
constexpr int kMaximizedMarginPx = 40;

/// Text of the AP card while it has no points: the reason if a single run is shown.
QString emptyApText(const CardPlan& plan, const std::vector<ShownRun>& runs) {
  const RunController* run = runs.front().run.data();
  if (runs.size() > 1 || !run->isLoaded()) return plan.emptyText;
  if (run->info().isRangeTest) return MonitorPage::tr("A learning-rate range test has no AP");
  const auto& state = run->info().state.value();
  return noApText(run->evaluationPlan(), state && protocol::hasEnded(*state));
}

/// The end of a range that grows, rounded up to less than a hundredth of it: so that most points
/// that arrive move nothing, and most cards need not be drawn again.
double roundedEnd(std::pair<double, double> range) {
  const double length = range.second - range.first;
  if (length <= 0) return range.second;
  const double quantum = std::exp2(std::ceil(std::log2(length / 256)));
  return range.first + std::ceil(length / quantum) * quantum;
}

}  // namespace

MonitorPage::MonitorPage(QWidget* parent) : QWidget(parent) {
  buildUi();
  connectSignals();
  setRuns({});
}

void MonitorPage::buildUi() {
  tools_ = new CurveTools;
  grid_ = new CardGrid;
  scroll_ = new QScrollArea;
  scroll_->setWidgetResizable(true);
  parameters_ = new ParameterSection(grid_->drawQueue());
  auto* sections = new QWidget;
  column_ = new QVBoxLayout(sections);
  column_->setContentsMargins(0, 0, 0, 0);
  column_->setSpacing(0);
  hiddenNote_ = new QPushButton;
  hiddenNote_->setObjectName(QStringLiteral("hiddenCards"));
  widgets::setRole(hiddenNote_, "link");
  hiddenNote_->hide();
  pinned_ = addSection(kPinned, tr("Pinned"));
  pinned_->setOpen(true);
  column_->addWidget(grid_, 1);
  column_->addWidget(parameters_);
  column_->addWidget(hiddenNote_, 0, Qt::AlignHCenter);
  scroll_->setWidget(sections);
  scroll_->setFrameShape(QFrame::NoFrame);
  alert_ = new AlertBanner;
  axisNote_ = new QLabel;
  axisNote_->setWordWrap(true);
  axisNote_->setContentsMargins(kNoteMarginPx, 10, kNoteMarginPx, 0);
  widgets::setRole(axisNote_, "muted");
  axisNote_->hide();
  runLegend_ = new widgets::RunLegend;
  runLegend_->hide();
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(alert_);
  column->addWidget(axisNote_);
  column->addWidget(runLegend_);
  column->addWidget(scroll_, 1);
  empty_ = new widgets::EmptyState;
  stack_ = new QStackedLayout(this);
  stack_->addWidget(content);
  stack_->addWidget(empty_);
  redraw_ = new widgets::Throttle(kRedrawInterval, this);
}

void MonitorPage::connectSignals() {
  connect(tools_, &CurveTools::smoothingChanged, this, [this](double weight) {
    Q_EMIT smoothingChanged(weight);  // first: card facts use smoothed values
    updateCurves();
  });
  connect(tools_, &CurveTools::xAxisChanged, this, [this](widgets::XAxis axis) {
    axis_ = axis;
    rebuildCurves();
    updateCurves();
  });
  // The scroll bar takes its width from the margin, so that cards and alert banner stay aligned.
  QScrollBar* bar = scroll_->verticalScrollBar();
  connect(bar, &QScrollBar::rangeChanged, this, [this, bar](int, int max) {
    barPx_ = max > 0 ? bar->sizeHint().width() : 0;
    grid_->setScrollBarWidth(barPx_);
    parameters_->setScrollBarWidth(barPx_);
    for (const auto& [name, section] : sections_) section->setScrollBarWidth(barPx_);
  });
  connect(tools_, &CurveTools::wordsChanged, this, [this](const QString& words) {
    words_ = words.trimmed();
    updateSections();
    updateCurves();
  });
  connect(hiddenNote_, &QPushButton::clicked, this, [this] {
    CardSettings shown = settings_;
    shown.hidden.clear();
    changeSettings(shown);
  });
  connect(parameters_, &ParameterSection::openChanged, this, [this](bool open) {
    settings_.open.removeAll(kParameters);
    if (open) settings_.open << kParameters;
    Q_EMIT cardSettingsChanged();
  });
  connectPlot(parameters_->card());
  connect(redraw_, &widgets::Throttle::due, this, &MonitorPage::updateCurves);
  connect(empty_, &widgets::EmptyState::actionTriggered, this, &MonitorPage::scenesRequested);
  connect(empty_, &widgets::EmptyState::otherActionTriggered, this,
          &MonitorPage::emptyActionTriggered);
  connect(alert_, &AlertBanner::showRequested, this, [this](const protocol::Alert& alert) {
    showAlert(alert);
    Q_EMIT alertsRequested();
  });
}

void MonitorPage::connectPlot(widgets::CurveCard* card) {
  connect(card->plot(), &widgets::CurvePlot::cursorMoved, this,
          [this, card](std::optional<double> x) {
            forEachCard([&](widgets::CurveCard* other, const CardPlan&) {
              other->plot()->showCursor(x, other == card);
            });
            parameters_->card()->plot()->showCursor(x, parameters_->card() == card);
          });
  connect(card->plot(), &widgets::CurvePlot::upToDate, this, [this] {
    if (isReady()) Q_EMIT readyChanged();
  });
  connect(card, &widgets::CurveCard::predictionsRequested, this, &MonitorPage::choosePredictionsAt);
  connect(card, &widgets::CurveCard::exportFailed, this, &MonitorPage::exportFailed);
}

void MonitorPage::connectCard(widgets::CurveCard* card, const CardPlan& plan) {
  connectPlot(card);
  connect(card, &widgets::CurveCard::expandRequested, this, [this, card] { maximize(card); });
  connect(card, &widgets::CurveCard::menuOpened, this,
          [this, id = cardId(plan)](QMenu* menu) { addToMenu(menu, id); });
}

void MonitorPage::addToMenu(QMenu* menu, const QString& id) {
  menu->addSeparator();
  const bool isPinned = settings_.pinned.contains(id);
  menu->addAction(isPinned ? tr("Unpin") : tr("Pin to the top"), this, [this, id, isPinned] {
    CardSettings changed = settings_;
    changed.pinned.removeAll(id);
    if (!isPinned) changed.pinned << id;
    changeSettings(changed);
  });
  menu->addAction(tr("Hide this card"), this, [this, id] {
    CardSettings changed = settings_;
    changed.pinned.removeAll(id);
    changed.hidden << id;
    changeSettings(changed);
  });
}

void MonitorPage::forEachCard(
    const std::function<void(widgets::CurveCard*, const CardPlan&)>& use) const {
  for (std::size_t i = 0; i < cards().size(); ++i) use(cards()[i], grid_->plans()[i]);
  for (const auto& [name, section] : sections_)
    for (const TagCards::Card& card : section->cards()) use(card.card, card.plan);
}

const std::vector<widgets::CurveCard*>& MonitorPage::cards() const { return grid_->cards(); }

bool MonitorPage::sharesRunWith(const std::vector<ShownRun>& others) const {
  return std::any_of(runs_.begin(), runs_.end(), [&](const ShownRun& own) {
    return std::any_of(others.begin(), others.end(),
                       [&](const ShownRun& other) { return own.run == other.run; });
  });
}

void MonitorPage::setRuns(std::vector<ShownRun> runs) {
  for (const ShownRun& shown : runs_)
    if (shown.run) disconnect(shown.run, nullptr, this, nullptr);
  // Keep the zoom while at least one of the runs is still shown.
  if (!sharesRunWith(runs)) resetViews();
  runs_ = std::move(runs);
  for (const ShownRun& shown : runs_) {
    connect(shown.run, &RunController::changed, redraw_, &widgets::Throttle::request);
    connect(shown.run, &RunController::loaded, redraw_, &widgets::Throttle::request);
  }
  const bool any = !runs_.empty();
  if (any && cards().empty()) {
    // Created with the first run, so that an empty window opens faster.
    grid_->makeCards();
    for (std::size_t i = 0; i < cards().size(); ++i) connectCard(cards()[i], grid_->plans()[i]);
  }
  if (!any) updateEmptyState();
  stack_->setCurrentIndex(any ? 0 : 1);
  tools_->setVisible(any);
  std::vector<widgets::RunLegend::Run> legend;
  for (const ShownRun& shown : runs_) legend.push_back({shown.name, shown.styleIndex});
  runLegend_->setRuns(std::move(legend));
  runLegend_->setVisible(runs_.size() > 1);
  updateScope();
  updateSections();
  rebuildCurves();
  updateCurves();
  if (isReady()) Q_EMIT readyChanged();
}

void MonitorPage::updateEmptyState() {
  if (hasListedRuns_) {
    empty_->setContent(tr("Select a run in the list"),
                       tr("Its curves appear here. Select several runs to compare them."));
  } else {
    empty_->setContent(tr("No run to show"),
                       tr("Curves appear here while a run trains and remain after it ends."),
                       tr("Try it on made scenes"), tr("Configure an experiment"));
  }
}

void MonitorPage::setHasListedRuns(bool has) {
  hasListedRuns_ = has;
  updateEmptyState();
}

void MonitorPage::rebuildCurves() {
  forEachCard([this](widgets::CurveCard* card, const CardPlan& plan) { giveCurves(card, plan); });
  parameters_->setRuns(runs_, axis_);
}

void MonitorPage::giveCurves(widgets::CurveCard* card, const CardPlan& plan) {
  std::vector<widgets::Curve> curves = curvesOfCard(plan, runs_, scope_, axis_);
  // With several runs, the legend of runs is above all cards.
  const bool isOfKinds = plan.curves.size() > 1;
  card->setLegendVisible(runs_.size() == 1 ? (isOfKinds || curves.size() > 1) && !hasShare(plan)
                                           : isOfKinds);
  card->setCurves(std::move(curves));
  card->plot()->setXAxis(axis_);
}

TagCards* MonitorPage::addSection(const QString& name, const QString& title) {
  auto* section = new TagCards(title, grid_->drawQueue());
  section->setObjectName(QStringLiteral("section ") + name);
  section->setColumns(grid_->columns());
  section->setScrollBarWidth(barPx_);
  connect(section, &TagCards::openChanged, this, [this, name](bool open) {
    settings_.open.removeAll(name);
    if (open) settings_.open << name;
    Q_EMIT cardSettingsChanged();
  });
  connect(section, &TagCards::cardMade, this,
          [this](widgets::CurveCard* card, const CardPlan& plan) {
            connectCard(card, plan);
            giveCurves(card, plan);
            updateXExtent();
            card->refresh();
          });
  section->hide();
  sections_.emplace_back(name, section);
  column_->insertWidget(
      name == kPinned ? 0 : kFirstSection + static_cast<int>(sections_.size()) - 2, section);
  return section;
}

TagCards* MonitorPage::section(const QString& name) const {
  for (const auto& [own, section] : sections_)
    if (own == name) return section;
  return nullptr;
}

/// Sections for the tags of the shown runs, and the cards in them, as settings and search have it.
void MonitorPage::updateSections() {
  tagCount_ = 0;
  std::vector<std::string> tags;
  std::unordered_set<std::string_view> seen;
  for (const ShownRun& shown : runs_) {
    if (!shown.run) continue;
    const std::vector<std::string>& own = shown.run->history().metrics().tagsInOrder();
    tagCount_ += own.size();
    for (const std::string& tag : own)
      if (seen.insert(tag).second) tags.push_back(tag);
  }
  std::vector<TagSection> found = tagSections(tags, grid_->plans());
  std::vector<CardPlan> all = grid_->plans();
  for (const TagSection& each : found) all.insert(all.end(), each.cards.begin(), each.cards.end());
  TagSection pinned{kPinned, {}};
  for (const QString& id : settings_.pinned)
    for (const CardPlan& plan : all)
      if (cardId(plan) == id) pinned.cards.push_back(plan);
  found.insert(found.begin(), pinned);
  for (const TagSection& each : found) {
    TagCards* own = section(each.name);
    if (!own) own = addSection(each.name, each.name.isEmpty() ? tr("Other tags") : each.name);
  }
  for (const auto& [name, own] : sections_) {
    std::vector<CardPlan> plans;
    if (const auto each = std::ranges::find(found, name, &TagSection::name); each != found.end())
      std::ranges::copy_if(each->cards, std::back_inserter(plans), [this](const CardPlan& plan) {
        return !settings_.hidden.contains(cardId(plan)) && matchesWords(plan, words_);
      });
    own->setPlans(plans);
    own->setVisible(!plans.empty() && (!maximized_ || own->has(maximized_)));
    const bool isOpen = settings_.open.contains(name) || name == kPinned || !words_.isEmpty();
    if (own->isOpen() != isOpen) own->setOpen(isOpen);
  }
  grid_->setVisible(!maximized_ || grid_->maximized());
  parameters_->setShown(!maximized_);
  hiddenNote_->setVisible(!settings_.hidden.isEmpty() && !runs_.empty());
  hiddenNote_->setText(settings_.hidden.size() == 1
                           ? tr("Show the hidden card")
                           : tr("Show the %1 hidden cards").arg(settings_.hidden.size()));
}

void MonitorPage::setCardSettings(const CardSettings& settings) {
  settings_ = settings;
  parameters_->setOpen(settings_.open.contains(kParameters));
  updateScope();
  updateSections();
  updateCurves();
}

void MonitorPage::changeSettings(const CardSettings& settings) {
  setCardSettings(settings);
  Q_EMIT cardSettingsChanged();
}

/// True if the cards' curves have to be rebuilt.
bool MonitorPage::updateScope() {
  const bool hasOneRun = currentRun() && runs_.size() == 1;
  const bool hasMasks = std::any_of(runs_.begin(), runs_.end(), [](const ShownRun& shown) {
    return shown.run && shown.run->evaluationPlan().hasMasks;
  });
  CardScope scope = cardScope(hasOneRun ? &currentRun()->history().metrics() : nullptr, hasMasks);
  std::vector<std::size_t> shown = cardsWith(scope, grid_->plans());
  std::erase_if(shown, [this](std::size_t card) {
    const CardPlan& plan = grid_->plans()[card];
    return settings_.hidden.contains(cardId(plan)) || !matchesWords(plan, words_);
  });
  grid_->setShown(std::move(shown));
  return scope != std::exchange(scope_, scope);
}

void MonitorPage::updateCurves() {
  if (hasNewTags()) updateSections();
  if (updateScope()) rebuildCurves();
  updateMarks();
  if (!runs_.empty()) alert_->showAlertOf(runs_.front(), runs_.size() == 1);
  updateAxisNote();
  updateFacts();
  updateXExtent();
  forEachCard([](widgets::CurveCard* card, const CardPlan&) { card->refresh(); });
  parameters_->refresh();
}

void MonitorPage::updateMarks() {
  if (cards().empty()) return;
  std::vector<widgets::EventMark> marks;
  if (const RunController* run = currentRun()) {
    const auto& best = run->info().best;
    for (const protocol::Checkpoint& checkpoint : run->history().checkpoints())
      if (const auto x = xOfStep(*run, checkpoint.step, axis_))
        marks.push_back({*x, checkpointText(checkpoint, run->checkpointSteps(),
                                            best ? best->metric : std::string())});
  }
  // Of all that are shown, because forks are looked at beside what they are of.
  for (const ShownRun& shown : runs_) {
    const auto& fork = shown.run ? shown.run->info().forkedFrom : std::nullopt;
    const auto x = fork ? xOfStep(*shown.run, fork->step, axis_) : std::nullopt;
    if (x)
      marks.push_back({*x, tr("%1 is a fork of %2 from here")
                               .arg(shown.name, QString::fromStdString(fork->run).section(
                                                    QLatin1Char('/'), -1))});
  }
  cards().front()->plot()->setEventMarks(std::move(marks));
}

/// Gives all cards the same x range.
void MonitorPage::updateXExtent() {
  std::optional<std::pair<double, double>> extent;
  bool isLive = false;
  for (const ShownRun& shown : runs_) {
    if (!shown.run) continue;
    isLive = isLive || shown.run->isAlive();
    const MetricCurve steps(shown.run, events::tags::kTrainTotalLoss, axis_, false);
    if (steps.isEmpty()) continue;
    const auto own = steps.xRange();
    extent =
        extent ? std::pair(std::min(extent->first, own.first), std::max(extent->second, own.second))
               : own;
  }
  if (extent && isLive) extent->second = roundedEnd(*extent);
  forEachCard([&](widgets::CurveCard* card, const CardPlan&) { card->plot()->setXExtent(extent); });
  parameters_->card()->plot()->setXExtent(extent);
}

/// Names the runs that cannot be drawn over the x axis.
void MonitorPage::updateAxisNote() {
  QStringList names;
  for (const ShownRun& shown : runs_)
    if (shown.run && shown.run->isLoaded() && !hasAxis(*shown.run, axis_)) names.append(shown.name);
  axisNote_->setVisible(!names.isEmpty());
  axisNote_->setText(tr("Not shown by epoch: %1. The run.json of earlier versions does not record "
                        "the steps per epoch: choose another x axis.")
                         .arg(names.join(QStringLiteral(", "))));
}

/// Updates the texts beside the card titles and that of an empty AP card, of the current run.
void MonitorPage::updateFacts() {
  if (!currentRun()) return;
  for (std::size_t i = 0; i < cards().size(); ++i) {
    const CardPlan& plan = grid_->plans()[i];
    const CardFact fact = cardFact(plan, currentRun()->history().metrics(), runs_.size() == 1);
    cards()[i]->setSubtitle(fact.text, fact.isWarning);
    if (isApCard(plan)) cards()[i]->setEmptyText(emptyApText(plan, runs_));
  }
}

/// The step is of the current run, also when another run's curve is under the pointer.
void MonitorPage::choosePredictionsAt(double x) {
  const RunController* run = currentRun();
  if (!run) return;
  if (const auto step = stepAtX(*run, x, axis_)) Q_EMIT predictionsRequested(*step);
}

void MonitorPage::showStep(qint64 step) {
  const RunController* run = currentRun();
  if (!run) return;
  const auto x = xOfStep(*run, step, axis_);
  forEachCard([&](widgets::CurveCard* card, const CardPlan&) {
    card->plot()->showCursor(x, card == cards().front());
  });
}

void MonitorPage::showAlert(const protocol::Alert& alert) {
  showStep(stepToShow(alert));
  if (alert.kind != protocol::AlertKind::SlowRank) return;
  for (std::size_t i = cards().size(); i-- > 0;)
    if (grid_->plans()[i].perRank && grid_->isShown(cards()[i]))
      scroll_->ensureWidgetVisible(cards()[i]);
}

bool MonitorPage::isReady() const {
  for (const ShownRun& shown : runs_)
    if (shown.run && !shown.run->isLoaded()) return false;
  if (runs_.empty()) return true;
  bool isUpToDate = true;
  forEachCard([&](const widgets::CurveCard* card, const CardPlan&) {
    isUpToDate = isUpToDate && (!card->isVisible() || card->plot()->isUpToDate());
  });
  return isUpToDate;
}

const RunController* MonitorPage::currentRun() const {
  return runs_.empty() ? nullptr : runs_.front().run.data();
}

/// The one under the pointer, else the first.
widgets::CurveCard* MonitorPage::cardUnderPointer() const {
  widgets::CurveCard* found = cards().front();
  forEachCard([&](widgets::CurveCard* card, const CardPlan&) {
    if (card->isVisible() && card->rect().contains(card->mapFromGlobal(QCursor::pos())))
      found = card;
  });
  return found;
}

void MonitorPage::toggleMaximized() {
  if (!cards().empty()) maximize(cardUnderPointer());
}

/// Shows this card alone, or all again.
void MonitorPage::maximize(widgets::CurveCard* card) {
  maximized_ = maximized_ == card ? nullptr : card;
  const bool isInGrid = std::ranges::find(cards(), card) != cards().end();
  grid_->maximize(isInGrid ? maximized_.data() : nullptr);
  for (const auto& [name, section] : sections_)
    section->maximize(maximized_, scroll_->viewport()->height() - kMaximizedMarginPx);
  updateSections();
}

void MonitorPage::toggleLogY() {
  if (cards().empty()) return;
  widgets::CurvePlot* plot = cardUnderPointer()->plot();
  plot->setLogY(!plot->isLogY());
}

void MonitorPage::toggleLogX() {
  if (cards().empty()) return;
  const bool log = !cards().front()->plot()->isLogX();
  forEachCard([log](widgets::CurveCard* card, const CardPlan&) { card->plot()->setLogX(log); });
}

void MonitorPage::toggleOutliers() {
  if (cards().empty()) return;
  widgets::CurvePlot* plot = cardUnderPointer()->plot();
  plot->setIgnoreOutliers(!plot->isIgnoringOutliers());
}

void MonitorPage::resetViews() {
  forEachCard([](widgets::CurveCard* card, const CardPlan&) { card->plot()->resetView(); });
}

/// Whether a shown run has a tag that it had not when the sections were made.
bool MonitorPage::hasNewTags() const {
  std::size_t tags = 0;
  for (const ShownRun& shown : runs_)
    if (shown.run) tags += shown.run->history().metrics().tagsInOrder().size();
  return tags != tagCount_;
}

void MonitorPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  tools_->setSpacious(width() >= kSpaciousPx);
  grid_->fitWidth(width());
  for (const auto& [name, section] : sections_) section->setColumns(grid_->columns());
}

}  // namespace lockstep::app
