#include "app/compare/compare_page.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QLocale>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/compare/compared_figures.h"
#include "engine/run_folder/run_experiment.h"
#include "widgets/comparison/comparison_tables.h"
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

const char* const kLetters[] = {"A", "B"};

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
      settingsJob_(
          [this](const Settings& result) {
            tables_->setSettings(result.differences);
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
  tables_->setMinimumWidth(widgets::scaledPx(280));
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
    const QString letter = QLatin1String(kLetters[row]);
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
    connect(side.steps, &QComboBox::activated, this,
            [&side] { side.of->setStep(side.steps->currentData().toLongLong()); });
  }
  connect(swap_, &QToolButton::clicked, this, &ComparePage::swapSides);
  connect(modes_, &QButtonGroup::idClicked, this,
          [this](int mode) { view_->setMode(static_cast<PairedView::Mode>(mode)); });
  connect(score_, &QDoubleSpinBox::valueChanged, this, &ComparePage::listObjects);
  connect(tables_, &widgets::ComparisonTables::objectChosen, this, &ComparePage::showObject);
  connect(empty_, &widgets::EmptyState::actionTriggered, this, [this] {
    for (Side& side : sides_)
      if (!side.of->progress().isEmpty()) return side.of->cancelPrediction();
    if (const auto way = obstacle(); way && way->toPredict) way->toPredict->predictAll();
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
  split_->setOrientation(width() < widgets::scaledPx(kSideBySideFromPx) ? Qt::Vertical
                                                                        : Qt::Horizontal);
}

void ComparePage::setRuns(const std::vector<ShownRun>& runs) {
  const auto foldersOf = [](const std::vector<ShownRun>& of) {
    QStringList folders;
    for (const ShownRun& one : of) folders << (one.run ? one.run->folder() : QString());
    return folders;
  };
  if (foldersOf(runs) != foldersOf(shown_)) hasChosen_ = false;
  shown_ = runs;
  std::erase_if(shown_, [](const ShownRun& run) { return !run.run; });
  if (isVisible()) chooseRuns();
}

void ComparePage::chooseRuns() {
  const auto isShown = [this](const QString& folder) {
    return std::ranges::any_of(
        shown_, [&](const ShownRun& run) { return run.run && run.run->folder() == folder; });
  };
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    Side& side = sides_[i];
    const QSignalBlocker blocker(side.runs);
    side.runs->clear();
    for (const ShownRun& run : shown_)
      if (run.run) side.runs->addItem(run.name, run.run->folder());
    const bool isKept = hasChosen_ && isShown(side.folder);
    const std::size_t usual = std::min(i, shown_.empty() ? 0 : shown_.size() - 1);
    chooseRun(side, isKept           ? side.folder
                    : shown_.empty() ? QString()
                                     : shown_[usual].run->folder());
  }
  refresh();
}

void ComparePage::chooseRun(Side& side, const QString& folder) {
  side.folder = folder;
  side.runs->setCurrentIndex(side.runs->findData(folder));
  side.runs->setToolTip(QDir::toNativeSeparators(folder));
  const auto found = std::ranges::find_if(
      shown_, [&](const ShownRun& run) { return run.run && run.run->folder() == folder; });
  side.of->setRun(found == shown_.end() ? nullptr : found->run.data());
  showSteps(side);
}

/// Of one run, A begins at the step before B's.
void ComparePage::showSteps(Side& side) {
  const QSignalBlocker blocker(side.steps);
  side.steps->clear();
  const std::vector<qint64>& all = side.of->steps().all();
  for (const qint64 step : all)
    side.steps->addItem(tr("step %1").arg(QLocale().toString(step)), step);
  side.steps->setEnabled(!all.empty());
  const bool isSameRun = sides_[0].folder == sides_[1].folder;
  const auto at = std::ranges::find(all, side.of->step());
  if (!hasChosen_ && isSameRun && &side == sides_.data() && at != all.end() && at != all.begin() &&
      sides_[1].of->step() == side.of->step())
    side.of->setStep(*std::prev(at));
  side.steps->setCurrentIndex(side.steps->findData(side.of->step()));
  refresh();
}

void ComparePage::swapSides() {
  hasChosen_ = true;
  const std::array<std::pair<QString, qint64>, 2> was{
      std::pair{sides_[0].folder, sides_[0].of->step()},
      std::pair{sides_[1].folder, sides_[1].of->step()}};
  for (std::size_t i = 0; i < 2; ++i) {
    chooseRun(sides_[i], was[1 - i].first);
    if (sides_[i].of->run()) sides_[i].of->setStep(was[1 - i].second);
    showSteps(sides_[i]);
  }
}

widgets::MatchRules ComparePage::rules() const {
  const HeldOutData& heldOut = *sides_[0].of->heldOut();
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
  listObjects();
}

void ComparePage::listObjects() {
  if (obstacle()) return;
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
  std::array<std::string, 2> folders;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!sides_[i].of->run()) return tables_->setSettings({});
    folders.at(i) = sides_[i].of->run()->files().folder.toStdString();
  }
  settingsJob_.request([folders] {
    return withFailure<Settings>([&](Settings& result) {
      const auto experiment = [](const std::string& folder) {
        return run_folder::readRunExperiment(run_folder::Layout(folder));
      };
      result.differences = config::difference(experiment(folders[0]), experiment(folders[1]));
    });
  });
}

void ComparePage::showObject(const widgets::PairedObject& object) {
  const HeldOutData& heldOut = *sides_[0].of->heldOut();
  const coco::Image& image = heldOut.dataset->images()[object.imageIndex];
  const QString path = QDir(heldOut.imagesFolder).filePath(QString::fromStdString(image.fileName));
  std::array<widgets::SceneRequest, 2> requests;
  for (std::size_t i = 0; i < 2; ++i) {
    requests.at(i).dataset = heldOut.dataset;
    requests.at(i).imageIndex = object.imageIndex;
    requests.at(i).detections = sides_.at(i).of->predictions().at(image.id);
    requests.at(i).thresholds.score = score_->value();
    requests.at(i).rules = rules();
    requests.at(i).theme = &widgets::currentTheme();
  }
  imageJob_.request([requests, path, annotation = object.annotation,
                     size = QSize(image.width, image.height)] {
    ShownImage shown;
    shown.annotation = annotation;
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
    const auto own = std::ranges::find_if(
        instances, [&](const auto& one) { return one.facts.annotation == shown.annotation; });
    if (own == instances.end()) continue;
    const int at = static_cast<int>(own - instances.begin());
    canvases.at(i)->setPinned(at);
    canvases.at(i)->reveal(at);
  }
  showState();
}

std::optional<ComparePage::Obstacle> ComparePage::obstacleOf(const Side& side,
                                                             const QString& letter) const {
  const ComparedRun& of = *side.of;
  if (!of.progress().isEmpty())
    return Obstacle{tr("Predicting all images of %1").arg(letter), of.progress(), tr("Cancel")};
  if (!of.failure().isEmpty())
    return Obstacle{tr("%1 cannot be compared").arg(letter), of.failure()};
  if (!of.isIdle() || !of.heldOut())
    return Obstacle{tr("Loading %1…").arg(letter), side.runs->currentText()};
  if (of.steps().isEmpty())
    return Obstacle{tr("%1 has nothing to compare").arg(letter),
                    tr("The run has neither a checkpoint nor predictions yet.")};
  if (!of.predictions().empty()) return std::nullopt;
  const QString blocked = of.run()->predictionBlockedBy();
  return Obstacle{
      tr("%1 has no predictions at step %2").arg(letter).arg(of.step()),
      blocked.isEmpty() ? tr("All held-out images can be predicted with its checkpoint.") : blocked,
      blocked.isEmpty() ? tr("Predict all") : QString(), side.of};
}

std::optional<ComparePage::Obstacle> ComparePage::obstacle() const {
  if (shown_.empty())
    return Obstacle{tr("No runs to compare"),
                    tr("Select two runs on the left, or one, to compare two of its checkpoints.")};
  for (std::size_t i = 0; i < sides_.size(); ++i)
    if (auto own = obstacleOf(sides_.at(i), QLatin1String(kLetters[i]))) return own;
  if (!datasetDifference_.isEmpty())
    return Obstacle{tr("A and B cannot be compared"), tr("The runs: %1.").arg(datasetDifference_)};
  const auto& others = sides_[1].of->predictions();
  const bool haveCommon = std::ranges::any_of(
      sides_[0].of->predictions(), [&](const auto& one) { return others.contains(one.first); });
  if (!haveCommon)
    return Obstacle{tr("A and B have predictions of different images"),
                    tr("Predict all images with both."), tr("Predict all"), sides_[0].of};
  return std::nullopt;
}

QString ComparePage::verdict() const { return verdict_->text(); }

void ComparePage::showState() {
  const auto way = obstacle();
  if (way) empty_->setContent(way->title, way->cause, way->action);
  stack_->setCurrentWidget(way ? static_cast<QWidget*>(empty_) : viewer_);
  if (way) {
    verdict_->clear();
  } else if (!failure_.isEmpty()) {
    verdict_->setText(failure_);
  } else if (pair_) {
    verdict_->setText(verdictText(*pair_, sides_[0].of->heldOut()->dataset->images().size()));
  } else {
    verdict_->setText(tr("Comparing…"));
  }
  verdict_->setVisible(!verdict_->text().isEmpty());
  QStringList names;
  for (std::size_t i = 0; i < 2; ++i)
    names << tr("%1: %2, step %3")
                 .arg(QLatin1String(kLetters[i]), sides_[i].runs->currentText(),
                      QLocale().toString(sides_[i].of->step()));
  view_->setNames(names[0], names[1]);
  if (isReady()) Q_EMIT readyChanged();
}

bool ComparePage::isReady() const {
  return sides_[0].of->isIdle() && sides_[1].of->isIdle() && pairJob_.isIdle() &&
         objectsJob_.isIdle() && settingsJob_.isIdle() && imageJob_.isIdle();
}

}  // namespace lockstep::app
