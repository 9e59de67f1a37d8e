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

#include "app/compare/compared_figures.h"
#include "engine/run_folder/run_experiment.h"
#include "widgets/comparison/comparison_tables.h"
#include "widgets/comparison/confusion_view.h"
#include "widgets/comparison/error_table.h"
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

/// Blocks; throws nothing.
template <typename Result, typename Work>
Result withFailure(const Work& work) {
  Result result;
  try {
    work(result);
  } catch (const std::exception& error) {
    result.failure = QString::fromUtf8(error.what());
  }
  return result;
}

}  // namespace

ComparePage::ComparePage(QWidget* parent)
    : QWidget(parent),
      pairJob_([this](const PairResult& result) {
        pair_ = result.pair;
        failure_ = result.failure;
        showFigures();
        showState();
      }),
      objectsJob_([this](const ObjectsResult& result) {
        if (!result.failure.isEmpty()) failure_ = result.failure;
        tables_->setObjects(result.objects ? sides_[0].of->heldOut()->dataset : nullptr,
                            result.objects);
        showState();
      }),
      matchedJob_([this](const MatchedResult& result) {
        if (!result.failure.isEmpty()) failure_ = result.failure;
        matched_ = result.pair;
        if (matched_)
          tables_->errors()->setErrors({matched_->side(0).errors, matched_->side(1).errors});
        confuse();
        showState();
      }),
      confusionJob_([this](const Confused& result) {
        tables_->confusions()->setConfusions(matched_->categories(), result.both, result.score);
        showState();
      }),
      othersJob_([this](const Others& others) {
        tables_->showOthers(others.title, others.objects);
        showState();
      }),
      settingsJob_(
          [this](const Settings& result) {
            if (!result.failure.isEmpty()) settingsOf_ = {};  // such as not fetched yet
            tables_->setSettings(result.differences);
            placeTables();
            showState();
          },
          jobs::Kind::Disk),
      imageJob_([this](const ShownImage& shown) { showImage(shown); }, jobs::Kind::Disk) {
  for (Side& side : sides_) side.of = new ComparedRun(this);
  buildUi();
  connectSignals();
  addNamedActions();
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
  for (int row = 0; row < 2; ++row) {
    Side& side = sides_.at(static_cast<std::size_t>(row));
    const QString letter = letterOf(row);
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
  grid->addWidget(swap_, 0, 3, 2, 1);
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
  for (Side& side : sides_) {
    connect(side.of, &ComparedRun::stepsChanged, this, [this, &side] { showSteps(side); });
    connect(side.of, &ComparedRun::changed, this, &ComparePage::refresh);
    connect(side.of, &ComparedRun::progressed, this, &ComparePage::showState);
    connect(side.runs, &QComboBox::activated, this, [this, &side] {
      hasChosen_ = true;
      chooseRun(side, side.runs->currentData().toString());
    });
    connect(side.steps, &QComboBox::activated, this, [this, &side] {
      hasChosen_ = true;
      side.of->setStep(side.steps->currentData().toLongLong());
    });
  }
  connect(swap_, &QToolButton::clicked, this, &ComparePage::swapSides);
  connect(modes_, &QButtonGroup::idClicked, this,
          [this](int mode) { view_->setMode(static_cast<PairedView::Mode>(mode)); });
  connect(score_, &QDoubleSpinBox::valueChanged, this, [this] {
    listObjects();
    confuse();
  });
  connectAnalysis();
  connect(tables_, &widgets::ComparisonTables::objectChosen, this, &ComparePage::showObject);
  connect(empty_, &widgets::EmptyState::actionTriggered, this, [this] {
    for (Side& side : sides_)
      if (!side.of->progress().isEmpty()) return side.of->cancelPrediction();
    if (const auto way = obstacle(); way && way->toPredict) way->toPredict->predictAll();
  });
}

/// What a cell, a type of error or a point of a curve counts is listed, to be looked at.
void ComparePage::connectAnalysis() {
  connect(
      tables_->confusions(), &widgets::ConfusionView::cellChosen, this,
      [this](widgets::ComparedView view, int actual, int predicted) {
        listOthers(tr("Cell"), [view, actual, predicted,
                                score = score_->value()](const widgets::MatchedPair& pair) {
          std::vector<widgets::PairedObject> objects;
          for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
            if (view == (side == 0 ? widgets::ComparedView::Second : widgets::ComparedView::First))
              continue;
            const auto own = pair.ofCell(side, score, static_cast<std::size_t>(actual),
                                         static_cast<std::size_t>(predicted));
            objects.insert(objects.end(), own.begin(), own.end());
          }
          return objects;
        });
      });
  connect(tables_->errors(), &widgets::ErrorTable::errorChosen, this,
          [this](int side, coco::ErrorType type) {
            listOthers(tr("Errors of %1").arg(letterOf(side)),
                       [side, type](const widgets::MatchedPair& pair) {
                         return pair.ofError(static_cast<std::size_t>(side), type);
                       });
          });
  connect(tables_->recall(), &widgets::RecallView::pointChosen, this,
          [this](int side, std::optional<std::size_t> category, double score) {
            listOthers(tr("%1 at score %2").arg(letterOf(side), QLocale().toString(score, 'f', 3)),
                       [side, category, score](const widgets::MatchedPair& pair) {
                         return pair.ofScore(static_cast<std::size_t>(side), category, score);
                       });
          });
}

void ComparePage::listOthers(
    const QString& title,
    const std::function<std::vector<widgets::PairedObject>(const widgets::MatchedPair&)>& find) {
  // The list's dataset comes with its objects.
  if (!matched_ || !objectsJob_.isIdle()) return;
  othersJob_.request([pair = matched_, title, find] {
    return Others{title, std::make_shared<const std::vector<widgets::PairedObject>>(find(*pair))};
  });
}

void ComparePage::addNamedActions() {
  const auto add = [this](const char* id, const QString& text, const QList<QKeySequence>& keys,
                          const std::function<void()>& act) {
    widgets::addNamedAction(this, widgets::ActionPlace::Compare, id, text, keys, act);
  };
  add("compare.swap", tr("Swap A and B"), {Qt::Key_X}, [this] { swapSides(); });
  add("compare.next_object", tr("Next object"), {Qt::Key_N}, [this] { tables_->moveObject(1); });
  add("compare.previous_object", tr("Previous object"), {Qt::SHIFT | Qt::Key_N},
      [this] { tables_->moveObject(-1); });
  add("compare.mode", tr("Side by side, wipe or blink"), {Qt::Key_V}, [this] {
    const auto buttons = modes_->buttons();
    buttons[(buttons.indexOf(modes_->checkedButton()) + 1) % buttons.size()]->click();
  });
  add("compare.fit", tr("Fit the image"), {Qt::Key_0}, [this] { view_->first()->fit(); });
}

void ComparePage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  chooseRuns();
}

void ComparePage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  placeTables();
}

void ComparePage::placeTables() {
  const bool isWide = width() >= widgets::scaledPx(kSideBySideFromPx);
  split_->setOrientation(isWide ? Qt::Horizontal : Qt::Vertical);
  // Wide enough for all tabs, but for half of the page where that is less.
  const int tabs = tables_->tabBar()->sizeHint().width();
  tables_->setMinimumWidth(isWide ? std::min(tabs, width() / 2) : 0);
}

widgets::MatchRules ComparePage::rules() const {
  const RunDataset& heldOut = *sides_[0].of->heldOut();
  return {heldOut.iouType, heldOut.mostDetections};
}

/// Compares anew what has changed; results of before are of something else.
void ComparePage::refresh() {
  if (!isVisible()) return;
  pair_.reset();
  failure_.clear();
  datasetDifference_.clear();
  pairJob_.cancel();
  objectsJob_.cancel();
  matchedJob_.cancel();
  confusionJob_.cancel();
  othersJob_.cancel();
  matched_.reset();
  tables_->confusions()->clear();
  tables_->errors()->clear();
  tables_->recall()->setPair(nullptr, 0);
  imageJob_.cancel();
  tables_->setObjects(nullptr, nullptr);
  view_->setImage(nullptr);
  view_->setScenes(nullptr, nullptr);
  const auto& first = sides_[0].of->heldOut();
  const auto& second = sides_[1].of->heldOut();
  if (first && second)
    datasetDifference_ = widgets::datasetDifference(*first->dataset, *second->dataset);
  showFigures();
  compareSettings();
  if (!obstacle()) compare();
  showState();
}

void ComparePage::compare() {
  pairJob_.request([dataset = sides_[0].of->heldOut()->dataset, first = sides_[0].of->predictions(),
                    second = sides_[1].of->predictions(), rules = rules()] {
    return withFailure<PairResult>([&](PairResult& result) {
      result.pair = widgets::compareResults(*dataset, first, second, rules);
    });
  });
  matchedJob_.request([dataset = sides_[0].of->heldOut()->dataset,
                       first = sides_[0].of->predictions(), second = sides_[1].of->predictions(),
                       rules = rules()] {
    return withFailure<MatchedResult>([&](MatchedResult& result) {
      result.pair = std::make_shared<const widgets::MatchedPair>(*dataset, first, second, rules,
                                                                 widgets::MatchThresholds().iou);
    });
  });
  listObjects();
}

/// At another score threshold.
void ComparePage::confuse() {
  tables_->recall()->setPair(matched_, score_->value());
  if (!matched_) return;
  confusionJob_.request([pair = matched_, score = score_->value()] {
    return Confused{pair->confusionsAt(score), score};
  });
}

void ComparePage::listObjects() {
  if (obstacle()) return;
  othersJob_.cancel();
  objectsJob_.request([dataset = sides_[0].of->heldOut()->dataset,
                       first = sides_[0].of->predictions(), second = sides_[1].of->predictions(),
                       rules = rules(), score = score_->value()] {
    return withFailure<ObjectsResult>([&](ObjectsResult& result) {
      result.objects = std::make_shared<const std::vector<widgets::PairedObject>>(
          widgets::pairedObjects(*dataset, first, second, rules, {.score = score}));
    });
  });
}

void ComparePage::showFigures() {
  std::vector<widgets::ComparedFigure> figures;
  if (pair_) figures = commonFigures(*pair_);
  const RunController *first = sides_[0].of->run(), *second = sides_[1].of->run();
  if (first && second) {
    const auto logged = evaluationFigures(first->history().metrics(), sides_[0].of->step(),
                                          second->history().metrics(), sides_[1].of->step());
    figures.insert(figures.end(), logged.begin(), logged.end());
  }
  tables_->setFigures(figures);
  tables_->setClasses(pair_ ? classFigures(*pair_) : std::vector<widgets::ComparedFigure>());
}

void ComparePage::compareSettings() {
  std::array<std::pair<std::string, int>, 2> runs;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!sides_[i].of->run()) {
      settingsOf_ = {};
      settingsJob_.cancel();
      return tables_->setSettings({});
    }
    RunController& run = *sides_[i].of->run();
    runs.at(i) = {run.files().folder.toStdString(), run.info().attempt};
  }
  if (runs == settingsOf_) return;
  settingsOf_ = runs;
  settingsJob_.request([runs] {
    return withFailure<Settings>([&](Settings& result) {
      const auto experiment = [](const std::string& folder) {
        return run_folder::readRunExperiment(run_folder::Layout(folder));
      };
      result.differences = config::difference(experiment(runs[0].first), experiment(runs[1].first));
    });
  });
}

/// The threshold, unless that would hide the detection that is meant.
double ComparePage::scoreToShow(const widgets::PairedObject& object, std::size_t side) const {
  if (object.detections.at(side) < 0) return score_->value();
  return std::min(score_->value(), object.score);
}

void ComparePage::showObject(const widgets::PairedObject& object) {
  const RunDataset& heldOut = *sides_[0].of->heldOut();
  const coco::Image& image = heldOut.dataset->images()[object.imageIndex];
  const QString path = QDir(heldOut.imagesFolder).filePath(QString::fromStdString(image.fileName));
  std::array<widgets::SceneRequest, 2> requests;
  for (std::size_t i = 0; i < 2; ++i) {
    requests.at(i).dataset = heldOut.dataset;
    requests.at(i).imageIndex = object.imageIndex;
    requests.at(i).detections = sides_.at(i).of->predictions().at(image.id);
    requests.at(i).thresholds.score = scoreToShow(object, i);
    requests.at(i).rules = rules();
    requests.at(i).theme = &widgets::currentTheme();
  }
  imageJob_.request([requests, path, object, size = QSize(image.width, image.height)] {
    ShownImage shown;
    shown.object = object;
    shown.image = std::make_shared<const widgets::DecodedImage>(widgets::decodeImage(path, size));
    shown.failure = shown.image->failure;
    for (std::size_t i = 0; i < 2; ++i) {
      const widgets::SceneResult scene = widgets::buildScene(requests.at(i));
      shown.scenes.at(i) = scene.scene;
      if (!scene.failure.isEmpty()) shown.failure = scene.failure;
    }
    return shown;
  });
}

void ComparePage::showImage(const ShownImage& shown) {
  failure_ = shown.failure;
  view_->setImage(shown.image);
  view_->setScenes(shown.scenes[0], shown.scenes[1]);
  const std::array canvases{view_->first(), view_->second()};
  for (std::size_t i = 0; i < 2; ++i) {
    if (!shown.scenes.at(i)) continue;
    const auto& instances = shown.scenes.at(i)->instances;
    const int detection = shown.object.detections.at(i), annotation = shown.object.annotation;
    const auto own = std::ranges::find_if(instances, [&](const auto& one) {
      return detection >= 0 ? one.facts.detection == detection
                            : annotation >= 0 && one.facts.annotation == annotation;
    });
    if (own == instances.end()) continue;
    const int at = static_cast<int>(own - instances.begin());
    canvases.at(i)->setPinned(at);
    canvases.at(i)->reveal(at);
  }
  showState();
}

bool ComparePage::isReady() const {
  return sides_[0].of->isIdle() && sides_[1].of->isIdle() && pairJob_.isIdle() &&
         objectsJob_.isIdle() && matchedJob_.isIdle() && confusionJob_.isIdle() &&
         othersJob_.isIdle() && settingsJob_.isIdle() && imageJob_.isIdle();
}

}  // namespace lockstep::app
