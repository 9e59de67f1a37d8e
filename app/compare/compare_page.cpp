#include "app/compare/compare_page.h"

#include <QAbstractItemView>
#include <QButtonGroup>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGuiApplication>
#include <QLocale>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "app/compare/compared_curves.h"
#include "app/compare/compared_figures.h"
#include "engine/run_folder/run_experiment.h"
#include "widgets/comparison/classes_view.h"
#include "widgets/comparison/comparison_tables.h"
#include "widgets/comparison/confusion_view.h"
#include "widgets/comparison/error_view.h"
#include "widgets/comparison/objects_view.h"
#include "widgets/comparison/recall_view.h"
#include "widgets/comparison/table_text.h"
#include "widgets/empty_state.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/paired_view.h"
#include "widgets/named_action.h"

namespace lockstep::app {

using widgets::PairedView;

ComparePage::ComparePage(QWidget* parent)
    : QWidget(parent),
      settingsJob_(
          [this](const Settings& result) {
            if (result.failure.isEmpty())
              settings_ = result.differences;
            else
              settingsOf_ = {};  // such as not fetched yet
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

void ComparePage::connectSignals() {
  connectSides();
  connectComparison();
  connectLists();
  connectChoices();
  connect(modes_, &QButtonGroup::idClicked, this,
          [this](int mode) { view_->setMode(static_cast<PairedView::Mode>(mode)); });
  connect(score_, &QDoubleSpinBox::valueChanged, this, [this](double score) {
    tables_->objectsView()->dropOthers();
    tables_->recall()->setPair(comparison_->matched(), score);
    comparison_->setScoreThreshold(score);
  });
  connect(tablesShown_, &QToolButton::toggled, this, &ComparePage::showTables);
  connect(offer_, &QPushButton::clicked, this, &ComparePage::takeOffer);
  connect(empty_, &widgets::EmptyState::actionTriggered, this, [this] {
    const auto way = obstacle();
    if (!way) return tables_->objectsView()->showAll();
    if (way->act) way->act();
  });
  connect(empty_, &widgets::EmptyState::otherActionTriggered, this, [this] {
    if (const auto way = obstacle(); way && way->actOther) way->actOther();
  });
}

/// Whatever a person chooses here is kept.
void ComparePage::connectChoices() {
  for (QComboBox* box : findChildren<QComboBox*>())
    connect(box, &QComboBox::currentIndexChanged, this, &ComparePage::announceViewState);
  for (QAbstractButton* button : findChildren<QAbstractButton*>())
    connect(button, &QAbstractButton::toggled, this, &ComparePage::announceViewState);
  connect(tables_, &QTabWidget::currentChanged, this, &ComparePage::announceViewState);
  connect(tables_, &widgets::ComparisonTables::viewStateChanged, this,
          &ComparePage::announceViewState);
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
    tables_->objectsView()->setObjects(comparison_->compared()->dataset, objects);
    showState();
  });
  connect(comparison_, &Comparison::matchedFound, this, [this] {
    const auto& matched = comparison_->matched();
    if (matched)
      tables_->errors()->setErrors({matched->side(0).errors, matched->side(1).errors},
                                   matched->iouThreshold());
    tables_->recall()->setPair(matched, score_->value());
    showFigures();
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
  add("compare.open_results", tr("Open results as B…"), {Qt::Key_O}, [this] { askForResults(1); });
  add("compare.open_results_as_a", tr("Open results as A…"), {Qt::SHIFT | Qt::Key_O},
      [this] { askForResults(0); });
  add("compare.open_annotations", tr("Choose ground truth…"), {}, [this] {
    if (const auto file = fileSide()) return askForAnnotations(*file);
    askForResults(1);
  });
  add("compare.swap", tr("Swap A and B"), {Qt::Key_X}, [this] { swapSides(); });
  add("compare.next_object", tr("Next object"), {Qt::Key_N}, [this] { tables_->moveObject(1); });
  add("compare.previous_object", tr("Previous object"), {Qt::SHIFT | Qt::Key_N},
      [this] { tables_->moveObject(-1); });
  add("compare.search_classes", tr("Search the classes"), {QKeySequence::Find},
      [this] { tables_->searchClasses(); });
  addPredictionsActions();
  add("compare.mode", tr("Side by side, wipe or blink"), {Qt::Key_V}, [this] {
    const auto buttons = modes_->buttons();
    buttons[(buttons.indexOf(modes_->checkedButton()) + 1) % buttons.size()]->click();
  });
  add("compare.fit", tr("Fit the image"), {Qt::Key_0}, [this] { view_->first()->fit(); });
  add("compare.magnifier", tr("Magnifier in both images; arrow keys move it"), {Qt::Key_Z},
      [this] { view_->toggleMagnifier(); });
  add("compare.tables", tr("Show or hide the tables"), {Qt::Key_T},
      [this] { tablesShown_->toggle(); });
  add("compare.predict", tr("Predict the other images of A and B"), {},
      [this] { predictOthers(); });
  add("compare.reread", tr("Read A and B again from the disk"), {Qt::Key_F5},
      [this] { readAgain(); });
  addTableActions();
}

/// In the menu of the objects, too.
void ComparePage::addPredictionsActions() {
  const auto add = [this](const char* id, const QString& text, const QKeySequence& keys,
                          bool isOther) {
    QAction* action = widgets::addNamedAction(
        this, widgets::ActionPlace::Compare, id, text, {keys},
        [this, isOther] { showInPredictions(isOther ? 1 - sideToOpen() : sideToOpen()); });
    tables_->objectsView()->focusProxy()->addAction(action);
  };
  widgets::showKeysOf(tables_->objectsView()->opening(), "compare.show_in_predictions");
  add("compare.show_in_predictions", tr("Show the object in Predictions"), Qt::Key_P, false);
  add("compare.show_other_in_predictions", tr("Show the object of the other side in Predictions"),
      Qt::SHIFT | Qt::Key_P, true);
}

/// In the menu of each table, too.
void ComparePage::addTableActions() {
  const struct {
    const char* id;
    QString text;
    widgets::TableFormat format;
  } kinds[] = {
      {"compare.copy_markdown", tr("Copy the table as Markdown"), widgets::TableFormat::Markdown},
      {"compare.copy_csv", tr("Copy the table as CSV"), widgets::TableFormat::Csv}};
  for (const auto& [id, text, format] : kinds) {
    QAction* action = widgets::addNamedAction(this, widgets::ActionPlace::Compare, id, text, {},
                                              [this, format = format] { copyTable(format); });
    for (QAbstractItemView* table : tables_->tables()) {
      table->addAction(action);
      table->setContextMenuPolicy(Qt::ActionsContextMenu);
    }
  }
}

/// Of a very long one its beginning, and says so.
void ComparePage::copyTable(widgets::TableFormat format) {
  const QAbstractItemView* table = tables_->shownTable();
  if (table == nullptr) return say(tr("There is no table to copy here: choose another tab."));
  QGuiApplication::clipboard()->setText(widgets::tableText(*table->model(), format));
  const int rows = table->model()->rowCount();
  say(rows <= widgets::kMostCopiedRows
          ? QString()
          : tr("The first %1 of %2 rows were copied.")
                .arg(QLocale().toString(widgets::kMostCopiedRows), QLocale().toString(rows)));
}

void ComparePage::say(const QString& what) {
  said_ = what;
  showState();
}

void ComparePage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (std::exchange(isStale_, false)) chooseRuns();
}

widgets::MatchRules ComparePage::rules() const {
  return widgets::commonRules(sides_[0].of->rules(), sides_[1].of->rules());
}

void ComparePage::clearShown() {
  comparison_->clear();
  ++askedImages_;
  isBringingImage_ = false;
  imageJob_.cancel();
  shownImage_.reset();
  said_.clear();
  tables_->confusions()->clear();
  tables_->errors()->clear();
  tables_->recall()->setPair(nullptr, 0);
  tables_->objectsView()->setObjects(nullptr, nullptr);
  tables_->objectsView()->dropOthers();
  view_->setImage(nullptr);
  view_->setScenes(nullptr, nullptr);
}

void ComparePage::judgeFiles() {
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const ComparedSide& other = *sides_.at(1 - i).of;
    const bool isJudge = !other.isOfFile() || !other.file()->annotations.isEmpty();
    sides_.at(i).of->judgeBy(isJudge ? other.heldOut() : std::nullopt);
    // Neither knows: what was chosen last may be right for them, too.
    Side& own = sides_.at(i);
    if (!own.of->lacksTruth() || other.run() || isJudge || lastAnnotations_.isEmpty()) continue;
    ResultsSource& source = opened_[own.path];
    source.annotations = lastAnnotations_;
    own.of->setResults(source);
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
  tables_->objectsView()->setIouType(results.rules.type);
  comparison_->start(std::move(results), score_->value());
}

void ComparePage::showFigures() {
  std::vector<widgets::FigureSection> figures;
  const RunController *first = sides_[0].of->run(), *second = sides_[1].of->run();
  if (first && second)
    figures.push_back(evaluationFigures(
        first->history().metrics(), sides_[0].of->step(), second->history().metrics(),
        sides_[1].of->step(),
        first->evaluationPlan().maxImages == 0 && second->evaluationPlan().maxImages == 0));
  const auto& pair = comparison_->figures();
  if (pair)
    figures.push_back(commonFigures(*pair, comparison_->compared()->rules.type,
                                    comparison_->compared()->dataset->images().size()));
  tables_->setFigures(figures);
  tables_->classes()->setClasses(pair ? classFigures(*pair, comparison_->matched().get())
                                      : std::vector<widgets::ComparedClass>());
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

void ComparePage::compareShown() {
  if (shown_.empty()) return;
  const bool isA = isShown(sides_[0].path), isB = isShown(sides_[1].path);
  const bool areDifferent = sides_[0].path != sides_[1].path;
  if (shown_.size() == 1 ? isA || isB : isA && isB && areDifferent) return;
  hasChosen_ = keepsFirst_ = false;
  keptState_.reset();
  for (Side& side : sides_) {
    side.of->setRun(nullptr);
    side.path.clear();
  }
  isStale_ = !isVisible();
  if (!isStale_) chooseRuns();
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
      settings_.reset();
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
  settings_.reset();
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
         settingsJob_.isIdle() && !isBringingImage_ && imageJob_.isIdle();
}

}  // namespace lockstep::app
