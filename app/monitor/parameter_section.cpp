#include "app/monitor/parameter_section.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>
#include <algorithm>
#include <chrono>
#include <utility>

#include "app/cards/metric_curve.h"
#include "app/monitor/card_grid.h"
#include "engine/base/shortened_text.h"
#include "engine/events/tags.h"
#include "widgets/elided_label.h"
#include "widgets/fold_button.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/heat_map.h"
#include "widgets/role.h"
#include "widgets/theme.h"
#include "widgets/throttle.h"

namespace lockstep::app {
namespace {

namespace tags = events::tags;

constexpr int kParameterCardPx = 260, kLargeCardPx = 560;
/// Limit of the heat map: several times the parameters of a large model.
constexpr std::size_t kMaxMapRows = 2000;
/// A heat map of thousands of values is not made anew for every step.
constexpr std::chrono::milliseconds kRefillInterval{1000};

/// Values that a logarithmic colour can show.
struct Statistic {
  const char* prefix;
  const char* name;
};
constexpr Statistic kStatistics[] = {
    {tags::kGradientNorms, QT_TRANSLATE_NOOP("lockstep::app::ParameterSection", "gradient norm")},
    {tags::kWeightNorms, QT_TRANSLATE_NOOP("lockstep::app::ParameterSection", "weight norm")},
    {tags::kUpdateRatios, QT_TRANSLATE_NOOP("lockstep::app::ParameterSection", "update ratio")}};

/// Names of the parameters with this statistic, in the order of the log, which is the model's.
std::vector<std::string> parametersOf(const MetricStore& metrics, std::string_view prefix) {
  std::vector<std::string> names;
  for (const std::string& tag : metrics.tags())
    if (tag.starts_with(prefix) && !tag.starts_with(tags::kPartGradientNorms))
      names.push_back(tag.substr(prefix.size()));
  return names;
}

widgets::HeatRow rowOf(const MetricSeries& series, const std::string& name) {
  widgets::HeatRow row;
  row.name = QString::fromStdString(base::printable(name));
  row.steps.reserve(series.size());
  row.values.reserve(series.size());
  for (std::size_t i = 0; i < series.size(); ++i) {
    row.steps.push_back(series.step(i));
    row.values.push_back(series.value(i));
  }
  return row;
}

}  // namespace

ParameterSection::ParameterSection(widgets::DrawQueue* queue, QWidget* parent) : QWidget(parent) {
  buildUi(queue);
  setScrollBarWidth(0);
  connectSignals();
  showBody(false);
  hide();
}

void ParameterSection::buildUi(widgets::DrawQueue* queue) {
  fold_ = new widgets::FoldButton;
  fold_->setTitle(tr("Parameters"));
  facts_ = new widgets::ElidedLabel(Qt::ElideRight);
  widgets::setRole(facts_, "muted");
  statistic_ = new QComboBox;
  statistic_->setAccessibleName(tr("Statistic"));
  filter_ = new QLineEdit;
  filter_->setPlaceholderText(tr("Filter parameters"));
  filter_->setClearButtonEnabled(true);
  filter_->setMaximumWidth(280);
  note_ = new QLabel;
  note_->setWordWrap(true);
  widgets::setRole(note_, "muted");
  map_ = new widgets::HeatMap;
  card_ = new widgets::CurveCard(tr("Chosen parameters"), queue);
  card_->setMinimumHeight(kParameterCardPx);
  card_->setEmptyText(tr("Click a row of the heat map, or Ctrl+click several"));

  auto* head = new QHBoxLayout;
  head->setContentsMargins(0, 0, 0, 0);
  head->addWidget(fold_);
  head->addWidget(facts_);
  head->addStretch();
  auto* tools = new QHBoxLayout;
  tools->setContentsMargins(0, 0, 0, 0);
  tools->addWidget(statistic_);
  tools->addWidget(filter_, 1);
  tools->addStretch(1);
  body_ = new QWidget;
  auto* parts = new QVBoxLayout(body_);
  parts->setContentsMargins(0, 0, 0, 0);
  parts->setSpacing(10);
  parts->addLayout(tools);
  parts->addWidget(note_);
  parts->addWidget(map_);
  parts->addWidget(card_);
  auto* column = new QVBoxLayout(this);
  column->setSpacing(8);
  column->addLayout(head);
  column->addWidget(body_);
  refill_ = new widgets::Throttle(kRefillInterval, this);
}

void ParameterSection::connectSignals() {
  connect(fold_, &widgets::FoldButton::toggled, this, &ParameterSection::showBody);
  connect(fold_, &widgets::FoldButton::openChanged, this, &ParameterSection::openChanged);
  connect(statistic_, &QComboBox::currentIndexChanged, this, [this] {
    fillMap();
    showCurves();
  });
  connect(filter_, &QLineEdit::textChanged, this, &ParameterSection::fillMap);
  connect(refill_, &widgets::Throttle::due, this, &ParameterSection::fillMap);
  connect(card_, &widgets::CurveCard::expandRequested, this, [this] {
    const bool isLarge = card_->minimumHeight() > kParameterCardPx;
    card_->setMinimumHeight(isLarge ? kParameterCardPx : kLargeCardPx);
  });
  connect(map_, &widgets::HeatMap::rowChosen, this,
          [this](const QString& name, qint64, bool adds) { chooseParameter(name, adds); });
}

bool ParameterSection::isOpen() const { return fold_->isOpen(); }
void ParameterSection::setOpen(bool open) { fold_->setOpen(open); }

void ParameterSection::showBody(bool open) {
  body_->setVisible(open);
  if (!open) return;
  fillMap();
  showCurves();
}

void ParameterSection::setScrollBarWidth(int widthPx) {
  layout()->setContentsMargins(CardGrid::kMarginPx, 0, CardGrid::kMarginPx - widthPx, 14);
}

void ParameterSection::setShown(bool shown) {
  isShown_ = shown;
  setVisible(hasParameters_ && isShown_);
}

void ParameterSection::setRuns(const std::vector<ShownRun>& runs, widgets::XAxis axis) {
  const bool isOther = runs.empty() || runs_.empty() || runs.front().run != runs_.front().run;
  tagCount_ = kUnknown;  // with several runs, the facts name the one of the map
  runs_ = runs;
  axis_ = axis;
  if (isOther) chosen_.clear();
  showStatistics();
  if (isOther) fillMap();
  showCurves();
}

void ParameterSection::refresh() {
  showStatistics();
  if (!isOpen() || isHidden()) return;
  refill_->request();
  card_->refresh();
}

/// Those that the current run has, when it has new tags.
void ParameterSection::showStatistics() {
  const RunController* run = runs_.empty() ? nullptr : runs_.front().run.data();
  const std::size_t tags = run ? run->history().metrics().tags().size() : 0;
  if (tags == std::exchange(tagCount_, tags)) return;
  QStringList names;
  std::size_t parameters = 0;
  for (const Statistic& statistic : kStatistics) {
    const std::size_t own =
        run ? parametersOf(run->history().metrics(), statistic.prefix).size() : 0;
    if (own > 0) names << tr(statistic.name);
    parameters = std::max(parameters, own);
  }
  hasParameters_ = !names.isEmpty();
  setVisible(hasParameters_ && isShown_);
  QString listed = names.join(QStringLiteral(", "));
  if (runs_.size() > 1) listed += tr(" of %1").arg(runs_.front().name);
  facts_->setText(tr("%Ln parameter(s): %1", "", static_cast<int>(parameters)).arg(listed));
  QStringList shown;
  for (int i = 0; i < statistic_->count(); ++i) shown << statistic_->itemText(i);
  if (shown == names) return;
  const QString chosen = statistic_->currentText();
  const QSignalBlocker quiet(statistic_);
  statistic_->clear();
  for (const Statistic& statistic : kStatistics)
    if (names.contains(tr(statistic.name)))
      statistic_->addItem(tr(statistic.name), QString::fromLatin1(statistic.prefix));
  if (const int again = statistic_->findText(chosen); again >= 0)
    statistic_->setCurrentIndex(again);
}

void ParameterSection::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (isOutdated_) fillMap();
}

std::string ParameterSection::prefix() const {
  return statistic_->currentData().toString().toStdString();
}

void ParameterSection::fillMap() {
  if (!isOpen() || runs_.empty() || !runs_.front().run) return;
  isOutdated_ = !isVisible();
  if (isOutdated_) return;
  const MetricStore& metrics = runs_.front().run->history().metrics();
  const std::string prefix = this->prefix();
  if (prefix.empty()) return;
  const QString words = filter_->text().trimmed();
  std::vector<widgets::HeatRow> rows;
  std::size_t found = 0;
  for (const std::string& name : parametersOf(metrics, prefix)) {
    if (!QString::fromStdString(name).contains(words, Qt::CaseInsensitive)) continue;
    const MetricSeries* series = metrics.series(prefix + name);
    if (series && ++found <= kMaxMapRows) rows.push_back(rowOf(*series, name));
  }
  note_->setVisible(rows.empty() || found > kMaxMapRows);
  note_->setText(rows.empty()
                     ? tr("No parameter's name contains this")
                     : tr("The first %1 of %2: filter for others").arg(kMaxMapRows).arg(found));
  map_->setVisible(!rows.empty());
  map_->setRows(std::move(rows), {1, std::max<std::int64_t>(1, metrics.lastStep())});
}

void ParameterSection::chooseParameter(const QString& name, bool adds) {
  if (!adds) {
    chosen_ = {name};
  } else if (!chosen_.removeOne(name)) {
    chosen_ << name;
  }
  showCurves();
}

void ParameterSection::showCurves() {
  std::vector<widgets::Curve> curves;
  for (const QString& name : chosen_) {
    for (const ShownRun& shown : runs_) {
      widgets::Curve curve;
      curve.name = name;
      curve.run = shown.name;
      // With one run, the colours tell the parameters apart.
      curve.styleIndex =
          runs_.size() > 1 ? shown.styleIndex : shown.styleIndex + static_cast<int>(curves.size());
      curve.source = std::make_shared<MetricCurve>(shown.run, prefix() + name.toStdString(), axis_,
                                                   /*smooth=*/false);
      curves.push_back(std::move(curve));
    }
  }
  card_->setLegendVisible(!chosen_.isEmpty());
  card_->setSubtitle(chosen_.isEmpty() ? QString() : statistic_->currentText());
  card_->setCurves(std::move(curves));
  card_->plot()->setXAxis(axis_);
}

}  // namespace lockstep::app
