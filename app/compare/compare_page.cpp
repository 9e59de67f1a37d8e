#include "app/compare/compare_page.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QLocale>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/compare/compared_curves.h"
#include "app/compare/compared_figures.h"
#include "engine/run_folder/run_experiment.h"
#include "widgets/comparison/comparison_tables.h"
#include "widgets/comparison/confusion_view.h"
#include "widgets/comparison/error_view.h"
#include "widgets/comparison/recall_view.h"
#include "widgets/empty_state.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/paired_view.h"
#include "widgets/named_action.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

using widgets::PairedView;

constexpr int kSideBySideFromPx = 820;

}  // namespace

ComparePage::ComparePage(QWidget* parent)
    : QWidget(parent),
      settingsJob_(
          [this](const Settings& result) {
            if (!result.failure.isEmpty()) settingsOf_ = {};  // such as not fetched yet
            tables_->setSettings(result.differences, result.failure.isEmpty()
                                                         ? tr("No setting differs.")
                                                         : result.failure);
            placeTables();
            showState();
          },
          jobs::Kind::Disk),
      imageJob_([this](const ShownImage& shown) { showImage(shown); }, jobs::Kind::Disk) {
  comparison_ = new Comparison(this);
  for (Side& side : sides_) side.of = new ComparedSide(this);
  buildUi();
  connectSignals();
  addNamedActions();
  setAcceptDrops(true);
  showState();
}

void ComparePage::buildUi() {
  setAccessibleName(tr("Compare"));
  verdict_ = new QLabel;
  verdict_->setWordWrap(true);
  verdict_->setTextFormat(Qt::PlainText);
  verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  verdict_->setObjectName(QStringLiteral("verdict"));
  widgets::setRole(verdict_, "given");
  tables_ = new widgets::ComparisonTables;
  curves_ = new ComparedCurves;
  tables_->insertTab(2, curves_, tr("Curves"));
  viewer_ = buildViewer();
  empty_ = new widgets::EmptyState;
  stack_ = new QStackedWidget;
  stack_->addWidget(empty_);
  stack_->addWidget(viewer_);
  split_ = new QSplitter;
  split_->setChildrenCollapsible(false);
  split_->addWidget(tables_);
  split_->addWidget(stack_);
  split_->setStretchFactor(0, 2);
  split_->setStretchFactor(1, 3);
  // What it would like to have is more than low windows have; the least is set in placeTables().
  split_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 10, 12, 10);
  column->setSpacing(8);
  column->addWidget(buildSides());
  column->addWidget(verdict_);
  column->addWidget(split_, 1);
}

QWidget* ComparePage::buildSides() {
  auto* head = new QWidget;
  auto* grid = new QGridLayout(head);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setColumnStretch(1, 1);
  for (const std::size_t place : {std::size_t{0}, std::size_t{1}}) {
    Side& side = sides_.at(place);
    const int row = static_cast<int>(place);
    const QString letter = letterOf(place);
    auto* name = new QLabel(letter);
    widgets::setRole(name, "given");
    side.runs = new QComboBox;
    side.runs->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    side.runs->setMinimumContentsLength(12);
    side.runs->setAccessibleName(tr("Run of %1").arg(letter));
    side.steps = new QComboBox;
    side.steps->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    side.steps->setAccessibleName(tr("Checkpoint of %1").arg(letter));
    grid->addWidget(name, row, 0);
    grid->addWidget(side.runs, row, 1);
    grid->addWidget(side.steps, row, 2);
  }
  swap_ = new QToolButton;
  swap_->setText(tr("Swap"));
  swap_->setToolTip(tr("A becomes B, and B becomes A"));
  swap_->setAccessibleName(tr("Swap A and B"));
  widgets::showKeysOf(swap_, "compare.swap");
  grid->addWidget(swap_, 0, 3);
  auto* toFiles =
      new widgets::ExportButton(this, widgets::ActionPlace::Compare, QStringLiteral("compare"));
  connect(toFiles, &widgets::ExportButton::requested, this, &ComparePage::exportRequested);
  grid->addWidget(toFiles, 1, 3);
  return head;
}

QWidget* ComparePage::buildViewer() {
  auto* page = new QWidget;
  auto* tools = new QHBoxLayout;
  tools->setContentsMargins(8, 0, 0, 0);
  modes_ = new QButtonGroup(this);
  const struct {
    PairedView::Mode mode;
    QString text, toolTip;
  } modes[] = {{PairedView::Mode::SideBySide, tr("Side by side"), tr("A beside B")},
               {PairedView::Mode::Wipe, tr("Wipe"), tr("A and B on each other, with a divider")},
               {PairedView::Mode::Blink, tr("Blink"), tr("A, and B while Tab is held")}};
  for (const auto& [mode, text, toolTip] : modes) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(toolTip);
    button->setCheckable(true);
    button->setChecked(mode == PairedView::Mode::SideBySide);
    modes_->addButton(button, static_cast<int>(mode));
    tools->addWidget(button);
  }
  score_ = new QDoubleSpinBox;
  score_->setRange(0, 1);
  score_->setSingleStep(0.05);
  score_->setMinimumWidth(widgets::scaledPx(120));
  score_->setValue(widgets::MatchThresholds().score);
  score_->setPrefix(tr("score ≥ "));
  score_->setAccessibleName(tr("Score from which detections count"));
  tools->addStretch();
  tools->addWidget(score_);
  view_ = new PairedView;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->addLayout(tools);
  column->addWidget(view_, 1);
  return page;
}

void ComparePage::connectSignals() {
  connectSides();
  connectComparison();
  connectLists();
  connectChoices();
  connect(modes_, &QButtonGroup::idClicked, this,
          [this](int mode) { view_->setMode(static_cast<PairedView::Mode>(mode)); });
  connect(score_, &QDoubleSpinBox::valueChanged, this, [this](double score) {
    tables_->dropOthers();
    tables_->recall()->setPair(comparison_->matched(), score);
    comparison_->setScoreThreshold(score);
  });
  connect(empty_, &widgets::EmptyState::actionTriggered, this, [this] {
    if (const auto way = obstacle(); way && way->act) way->act();
  });
}

/// Whatever a person chooses here is kept.
void ComparePage::connectChoices() {
  for (QComboBox* box : findChildren<QComboBox*>())
    connect(box, &QComboBox::currentIndexChanged, this, &ComparePage::announceViewState);
  for (QAbstractButton* button : findChildren<QAbstractButton*>())
    connect(button, &QAbstractButton::toggled, this, &ComparePage::announceViewState);
  connect(tables_, &QTabWidget::currentChanged, this, &ComparePage::announceViewState);
  connect(score_, &QDoubleSpinBox::valueChanged, this, &ComparePage::announceViewState);
}

void ComparePage::announceViewState() {
  const QVariantMap state = viewState();
  if (state == announced_) return;
  announced_ = state;
  Q_EMIT viewStateChanged();
}

void ComparePage::connectSides() {
  for (Side& side : sides_) {
    connect(side.of, &ComparedSide::stepsChanged, this, [this, of = side.of] {
      showSteps(sides_[0].of == of ? sides_[0] : sides_[1]);  // they may have been swapped
    });
    connect(side.of, &ComparedSide::changed, this, &ComparePage::refresh);
    connect(side.of, &ComparedSide::curvesChanged, curves_, &ComparedCurves::refresh);
    connect(side.of, &ComparedSide::progressed, this, &ComparePage::showState);
    connect(side.runs, &QComboBox::activated, this, [this, &side] { takeChoice(side); });
    connect(side.steps, &QComboBox::activated, this, [this, &side] {
      hasChosen_ = true;
      keptState_.reset();
      side.of->setStep(side.steps->currentData().toLongLong());
    });
  }
  connect(curves_, &ComparedCurves::stepsChosen, this, &ComparePage::takeSteps);
  connect(swap_, &QToolButton::clicked, this, &ComparePage::swapSides);
}

void ComparePage::connectComparison() {
  connect(comparison_, &Comparison::figuresFound, this, [this] {
    showFigures();
    showState();
  });
  connect(comparison_, &Comparison::objectsFound, this, [this](const Comparison::Objects& objects) {
    tables_->setObjects(comparison_->compared()->dataset, objects);
    showState();
  });
  connect(comparison_, &Comparison::matchedFound, this, [this] {
    const auto& matched = comparison_->matched();
    if (matched)
      tables_->errors()->setErrors({matched->side(0).errors, matched->side(1).errors},
                                   matched->iouThreshold());
    tables_->recall()->setPair(matched, score_->value());
    showState();
  });
  connect(comparison_, &Comparison::confusionsFound, this,
          [this](const widgets::MatchedPair::Confusions& both, double score) {
            tables_->confusions()->setConfusions(comparison_->matched()->categories(), both, score);
            showState();
          });
  connect(comparison_, &Comparison::listed, this,
          [this](const QString& title, const Comparison::Objects& objects) {
            tables_->showOthers(title, comparison_->compared()->dataset, objects);
            showState();
          });
}

void ComparePage::addNamedActions() {
  const auto add = [this](const char* id, const QString& text, const QList<QKeySequence>& keys,
                          const std::function<void()>& act) {
    widgets::addNamedAction(this, widgets::ActionPlace::Compare, id, text, keys, act);
  };
  add("compare.open_results", tr("Open results…"), {Qt::Key_O}, [this] { askForResults(1); });
  add("compare.open_annotations", tr("Judge opened results by their own annotations…"), {},
      [this] { askForAnnotations(); });
  add("compare.swap", tr("Swap A and B"), {Qt::Key_X}, [this] { swapSides(); });
  add("compare.next_object", tr("Next object"), {Qt::Key_N}, [this] { tables_->moveObject(1); });
  add("compare.previous_object", tr("Previous object"), {Qt::SHIFT | Qt::Key_N},
      [this] { tables_->moveObject(-1); });
  add("compare.mode", tr("Side by side, wipe or blink"), {Qt::Key_V}, [this] {
    const auto buttons = modes_->buttons();
    buttons[(buttons.indexOf(modes_->checkedButton()) + 1) % buttons.size()]->click();
  });
  add("compare.fit", tr("Fit the image"), {Qt::Key_0}, [this] { view_->first()->fit(); });
  add("compare.magnifier", tr("Magnifier in both images; arrow keys move it"), {Qt::Key_Z},
      [this] { view_->toggleMagnifier(); });
}

void ComparePage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (std::exchange(isStale_, false)) chooseRuns();
}

void ComparePage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  placeTables();
}

void ComparePage::placeTables() {
  const bool isWide = width() >= widgets::scaledPx(kSideBySideFromPx);
  split_->setOrientation(isWide ? Qt::Horizontal : Qt::Vertical);
  // Wide enough for all tabs, but for three fifths of the page where that is less.
  const int tabs = tables_->tabBar()->sizeHint().width();
  tables_->setMinimumWidth(isWide ? std::min(tabs, width() * 3 / 5) : 0);
  split_->setMinimumHeight(split_->minimumSizeHint().height());
}

widgets::MatchRules ComparePage::rules() const {
  return widgets::commonRules(sides_[0].of->rules(), sides_[1].of->rules());
}

void ComparePage::clearShown() {
  comparison_->clear();
  imageJob_.cancel();
  shownImage_.reset();
  tables_->confusions()->clear();
  tables_->errors()->clear();
  tables_->recall()->setPair(nullptr, 0);
  tables_->setObjects(nullptr, nullptr);
  tables_->dropOthers();
  view_->setImage(nullptr);
  view_->setScenes(nullptr, nullptr);
}

void ComparePage::judgeFiles() {
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const ComparedSide& other = *sides_.at(1 - i).of;
    const bool isJudge = !other.isOfFile() || !other.file()->annotations.isEmpty();
    sides_.at(i).of->judgeBy(isJudge ? other.heldOut() : std::nullopt);
  }
}

/// Once for the same datasets: they may have a million objects.
void ComparePage::findDatasetDifference() {
  std::array<std::shared_ptr<const coco::Dataset>, 2> datasets;
  for (std::size_t i = 0; i < sides_.size(); ++i)
    if (const auto& heldOut = sides_.at(i).of->heldOut()) datasets.at(i) = heldOut->dataset;
  if (datasets == differenceOf_) return;
  differenceOf_ = datasets;
  datasetDifference_ = datasets[0] && datasets[1]
                           ? widgets::datasetDifference(*datasets[0], *datasets[1])
                           : QString();
}

/// Shows what the sides have become.
void ComparePage::refresh() {
  judgeFiles();
  isStale_ = !isVisible();
  if (isStale_) return;
  findDatasetDifference();
  compareSettings();
  compare();
  showCurves();
  showFigures();
  showState();
}

/// Anew only if something else is compared: a run that trains has news all the time, and they must
/// not take away what is being looked at.
void ComparePage::compare() {
  if (obstacle()) return clearShown();
  ComparedResults results{sides_[0].of->heldOut()->dataset,
                          {sides_[0].of->predictions(), sides_[1].of->predictions()},
                          rules()};
  if (comparison_->compared() && *comparison_->compared() == results) return;
  clearShown();
  tables_->setIouType(results.rules.type);
  comparison_->start(std::move(results), score_->value());
}

void ComparePage::showFigures() {
  std::vector<widgets::ComparedFigure> figures;
  const auto& pair = comparison_->figures();
  if (pair) figures = commonFigures(*pair);
  const RunController *first = sides_[0].of->run(), *second = sides_[1].of->run();
  if (first && second) {
    const auto logged = evaluationFigures(first->history().metrics(), sides_[0].of->step(),
                                          second->history().metrics(), sides_[1].of->step());
    figures.insert(figures.end(), logged.begin(), logged.end());
  }
  tables_->setFigures(figures);
  tables_->setClasses(pair ? classFigures(*pair) : std::vector<widgets::ComparedFigure>());
}

void ComparePage::showCurves() {
  std::array<ComparedCurves::Side, 2> sides;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Side& own = sides_.at(i);
    const auto run = std::ranges::find_if(
        shown_, [&](const ShownRun& shown) { return own.of->run() && shown.run == own.of->run(); });
    if (run != shown_.end()) sides.at(i) = {*run, own.of->step()};
  }
  curves_->setSides(sides);
}

/// The checkpoints that are nearest to a point of the curves.
void ComparePage::takeSteps(const std::array<std::optional<qint64>, 2>& steps) {
  hasChosen_ = true;
  keptState_.reset();
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    Side& side = sides_.at(i);
    if (!steps.at(i) || side.of->steps().isEmpty()) continue;
    side.of->setStep(side.of->steps().nearestTo(*steps.at(i)));
    showSteps(side);
  }
}

void ComparePage::compareSettings() {
  std::array<std::pair<std::string, int>, 2> runs;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!sides_[i].of->run()) {
      settingsOf_ = {};
      settingsJob_.cancel();
      return tables_->setSettings(
          {}, sides_.at(i).of->isOfFile()
                  ? tr("%1 is a results file: it has no settings to compare.").arg(letterOf(i))
                  : QString());
    }
    RunController& run = *sides_[i].of->run();
    runs.at(i) = {run.files().folder.toStdString(), run.info().attempt};
  }
  if (runs == settingsOf_) return;
  settingsOf_ = runs;
  settingsJob_.request([runs] {
    const auto experiment = [](const std::string& folder) {
      return run_folder::readRunExperiment(run_folder::Layout(folder));
    };
    try {
      return Settings{config::difference(experiment(runs[0].first), experiment(runs[1].first)), {}};
    } catch (const std::exception& error) {
      return Settings{{}, QString::fromUtf8(error.what())};
    }
  });
}

bool ComparePage::isReady() const {
  return sides_[0].of->isIdle() && sides_[1].of->isIdle() && comparison_->isIdle() &&
         settingsJob_.isIdle() && imageJob_.isIdle();
}

}  // namespace lockstep::app
