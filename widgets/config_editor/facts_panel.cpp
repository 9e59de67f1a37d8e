#include "widgets/config_editor/facts_panel.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStringList>
#include <QVBoxLayout>

#include "engine/config/value_text.h"
#include "widgets/bars/histogram_chart.h"
#include "widgets/config_editor/box_size_bars.h"
#include "widgets/config_editor/learning_rate_curve.h"
#include "widgets/elided_label.h"
#include "widgets/literal_text.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kMinWidthPx = 240, kCurveFromPx = 460;
/// Rows of the grid between those of facts are free, for what belongs to the fact before.
int rowOf(int fact) { return 2 * fact; }

constexpr qsizetype kMostUnbroken = 16;  ///< characters of a word

/// Lets long words, such as names of runs and keys, wrap at their parts.
QString breakable(const QString& text) {
  QStringList words = text.split(QLatin1Char(' '));
  for (QString& word : words) {
    if (word.size() <= kMostUnbroken) continue;
    for (const QChar sign : {u'-', u'_', u'.', u'/'})
      word.replace(sign, QString(sign) + QChar(0x200b));
  }
  return words.join(QLatin1Char(' '));
}

}  // namespace

FactsPanel::FactsPanel(QWidget* parent) : QWidget(parent) {
  auto* title = new QLabel(tr("Learning rate"));
  setRole(title, "section");
  rangeTest_ = new QPushButton(tr("Range test"));
  rangeTest_->setObjectName(QStringLiteral("rangeTest"));
  rangeTest_->setToolTip(
      tr("Find a learning rate: a short training in which it rises until the loss "
         "diverges"));
  connect(rangeTest_, &QPushButton::clicked, this, &FactsPanel::rangeTestRequested);
  curveHead_ = new QHBoxLayout;
  curveHead_->addWidget(title);
  curveHead_->addStretch();
  curveHead_->addWidget(rangeTest_);
  curve_ = new LearningRateCurve;
  plan_ = new QWidget;
  auto* left = new QVBoxLayout(plan_);
  left->setContentsMargins(0, 0, 0, 0);
  left->setSpacing(4);
  left->addLayout(curveHead_);
  left->addWidget(curve_, 1);

  stale_ = new ElidedLabel(tr("Values before the error"), Qt::ElideRight);
  setRole(stale_, "warning");
  stale_->setFont(interfaceFont(11));
  stale_->hide();
  auto* factsTitle = new QLabel(tr("Summary"));
  setRole(factsTitle, "section");
  factsHead_ = new QHBoxLayout;
  factsHead_->addWidget(factsTitle);
  factsHead_->addStretch();
  factsHead_->addWidget(stale_);
  grid_ = new QGridLayout;
  grid_->setHorizontalSpacing(14);
  grid_->setVerticalSpacing(3);
  grid_->setColumnStretch(1, 1);
  nothing_ = new QLabel(tr("Available once the errors are fixed."));
  nothing_->setFont(interfaceFont(11));
  nothing_->setWordWrap(true);
  setRole(nothing_, "faint");
  nothing_->hide();
  warnings_ = new QLabel;
  warnings_->setWordWrap(true);
  warnings_->setFont(interfaceFont(11));
  setRole(warnings_, "warning");
  warnings_->hide();
  boxes_ = new QWidget;
  auto* boxesTitle = new QLabel(tr("Box sizes after resizing, ▼ anchor sizes"));
  boxesTitle->setFont(interfaceFont(11));
  boxesTitle->setWordWrap(true);
  setRole(boxesTitle, "muted");
  boxSizes_ = new HistogramChart;
  boxSizes_->setChoosable(false);
  boxSizes_->setAccessibleName(tr("Box sizes of the training objects, and the anchors' sizes"));
  auto* boxesColumn = new QVBoxLayout(boxes_);
  boxesColumn->setContentsMargins(0, 4, 0, 4);
  boxesColumn->setSpacing(2);
  boxesColumn->addWidget(boxesTitle);
  boxesColumn->addWidget(boxSizes_);
  useAnchors_ = new QPushButton(tr("Use better anchors"));
  useAnchors_->setObjectName(QStringLiteral("useAnchors"));
  useAnchors_->hide();
  connect(useAnchors_, &QPushButton::clicked, this, &FactsPanel::betterAnchorsChosen);
  boxesColumn->addWidget(useAnchors_, 0, Qt::AlignLeft);
  boxes_->hide();
  // Rows keep their height: with many warnings the facts scroll.
  auto* facts = new QWidget;
  auto* right = new QVBoxLayout(facts);
  right->setContentsMargins(0, 0, 4, 0);
  right->setSpacing(4);
  right->addLayout(factsHead_);
  right->addWidget(nothing_);
  right->addLayout(grid_);
  right->addWidget(warnings_);
  right->addStretch();

  auto* scroll = new QScrollArea;
  scroll->setAccessibleName(tr("Derived facts"));
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setWidget(facts);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(14, 10, 14, 10);
  row->setSpacing(18);
  row->addWidget(plan_, 1);
  row->addWidget(scroll, 2);
}

QSize FactsPanel::minimumSizeHint() const {
  return {kMinWidthPx, QWidget::minimumSizeHint().height()};
}

/// Hides the curve where there is no room for both: the facts matter more. Its button goes to them.
void FactsPanel::resizeEvent(QResizeEvent* event) {
  const bool hasCurve = width() >= scaledPx(kCurveFromPx);
  plan_->setVisible(hasCurve);
  QHBoxLayout* head = hasCurve ? curveHead_ : factsHead_;
  if (head->indexOf(rangeTest_) < 0) head->addWidget(rangeTest_);
  QWidget::resizeEvent(event);
}

void FactsPanel::setExperiment(const config::Experiment& experiment, const ImageCounts& images,
                               const QList<std::pair<QString, QString>>& survey,
                               const KnownObjects& objects) {
  curve_->setPlan(planSteps(experiment, images));
  DerivedFacts facts = deriveFacts(experiment, images);
  auto place = facts.facts.begin() + 1;  // after the length of the training
  for (const auto& [name, value] : survey) place = facts.facts.insert(place, {name, value}) + 1;
  fillFacts(facts);
  showNothing(false);
  showObjects(objects, experiment.model.anchors);
  const auto before = static_cast<int>(place - facts.facts.begin());
  grid_->addWidget(boxes_, rowOf(before) - 1, 0, 1, 2);
  for (std::size_t i = facts.facts.size(); i < names_.size(); ++i) {
    names_[i]->hide();
    values_[i]->hide();
  }
}

void FactsPanel::clear() {
  setStale(false);
  curve_->clear();
  fillFacts({});
  showNothing(true);
  boxes_->hide();
}

void FactsPanel::showObjects(const KnownObjects& objects, const config::AnchorConfig& anchors) {
  showBoxSizes(boxSizes_, objects.boxes, anchors.sizes);
  boxes_->setVisible(objects.boxes.objects() > 0);
  const std::optional<config::AnchorConfig>& better = objects.betterAnchors;
  useAnchors_->setVisible(better.has_value());
  if (!better) return;
  const QString sizes = QString::fromStdString(config::writeNumbers(better->sizes));
  const QString ratios = QString::fromStdString(config::writeNumbers(better->aspectRatios));
  useAnchors_->setToolTip(tr("Anchors that cover more of the objects: model.anchors.sizes %1, "
                             "model.anchors.aspect_ratios %2")
                              .arg(sizes, ratios));
}

void FactsPanel::showNothing(bool isNothing) {
  nothing_->setVisible(isNothing);
  for (QLabel* name : names_) name->setVisible(!isNothing);
  for (QLabel* value : values_) value->setVisible(!isNothing);
}

void FactsPanel::setRangeTestEnabled(bool isEnabled) { rangeTest_->setEnabled(isEnabled); }

void FactsPanel::setStale(bool isStale) { stale_->setVisible(isStale); }

void FactsPanel::fillFacts(const DerivedFacts& derived) {
  for (std::size_t i = 0; i < derived.facts.size(); ++i) {
    if (i == values_.size()) {
      auto* name = new QLabel(derived.facts[i].name);
      name->setFont(interfaceFont(11));
      name->setWordWrap(true);
      name->setAlignment(Qt::AlignTop | Qt::AlignLeft);
      setRole(name, "muted");
      auto* value = new QLabel;
      value->setFont(interfaceFont(11));
      value->setWordWrap(true);  // a number must not be cut
      value->setTextInteractionFlags(Qt::TextSelectableByMouse);
      const int row = rowOf(static_cast<int>(i));
      grid_->addWidget(name, row, 0);
      grid_->addWidget(value, row, 1);
      names_.push_back(name);
      values_.push_back(value);
    }
    names_[i]->setText(derived.facts[i].name);
    values_[i]->setText(breakable(inertText(derived.facts[i].value)));
    values_[i]->setToolTip(derived.facts[i].value);
  }
  QStringList warnings;
  for (const QString& warning : derived.warnings) warnings << QStringLiteral("▲ ") % warning;
  warnings_->setText(warnings.join(QLatin1Char('\n')));
  warnings_->setVisible(!warnings.isEmpty());
}

}  // namespace lockstep::widgets
