// What ComparePage says: what is in the way of a comparison, or what it finds, and what it offers.
#include <QComboBox>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <algorithm>

#include "app/compare/compare_page.h"
#include "app/compare/compared_figures.h"
#include "widgets/comparison/comparison_tables.h"
#include "widgets/comparison/objects_view.h"
#include "widgets/empty_state.h"
#include "widgets/image_view/paired_view.h"
#include "widgets/literal_text.h"

namespace lockstep::app {
namespace {

/// "1, 10, 100"
QString limitsText(const widgets::MatchRules& rules) {
  QStringList limits;
  for (const std::size_t limit : rules.maxDetections) limits << QLocale().toString(limit);
  return limits.join(QStringLiteral(", "));
}

}  // namespace

std::optional<ComparePage::Obstacle> ComparePage::obstacleOf(std::size_t side) {
  ComparedSide* of = sides_.at(side).of;
  const QString letter = letterOf(side), name = sides_.at(side).runs->currentText();
  // What there is of a side that is partly predicted is shown meanwhile, also if that fails.
  const bool hasNone = of->predictions().empty();
  if (hasNone && !of->progress().isEmpty())
    return Obstacle{tr("Predicting all images of %1").arg(letter), of->progress(), tr("Cancel"),
                    [of] { of->cancelPrediction(); }};
  if (!of->reading().isEmpty())
    return Obstacle{tr("Reading %1: %2").arg(letter, name), of->reading(), tr("Cancel"),
                    [of] { of->cancelReading(); }};
  if (hasNone && !of->failure().isEmpty()) return failureOf(side);
  if (of->lacksTruth())
    return Obstacle{tr("The ground truth of %1 is not known").arg(letter),
                    tr("Choose the COCO annotations of its images, or a run for the other side."),
                    tr("Choose ground truth…"), [this, side] { askForAnnotations(side); }};
  if (!of->isIdle() || !of->heldOut()) return Obstacle{tr("Loading %1…").arg(letter), name};
  if (of->isOfFile()) return std::nullopt;
  if (of->steps().isEmpty())
    return withAnother(side, {tr("%1 has nothing to compare").arg(letter),
                              tr("The run has neither a checkpoint nor predictions yet.")});
  if (!hasNone) return std::nullopt;
  const QString title = tr("%1 has no predictions at step %L2").arg(letter).arg(of->step());
  const QString blocked = of->run()->predictionBlockedBy();
  if (!blocked.isEmpty()) return withAnother(side, {title, blocked});
  return Obstacle{title, tr("All validation images can be predicted with its checkpoint."),
                  tr("Predict all"), [of] { of->predictAll(); }};
}

ComparePage::Obstacle ComparePage::failureOf(std::size_t side) {
  ComparedSide* of = sides_.at(side).of;
  Obstacle way =
      withAnother(side, {tr("%1 cannot be compared").arg(letterOf(side)), of->failure()});
  if (of->isOfFile()) {
    way.action = tr("Read it again");
    way.act = [of] { of->readAgain(); };
    way.otherAction = tr("Choose ground truth…");
    way.actOther = [this, side] { askForAnnotations(side); };
  } else if (of->run() && of->heldOut() && of->run()->predictionBlockedBy().isEmpty()) {
    way.action = tr("Try again");
    way.act = [of] { of->predictAll(); };
  }
  return way;
}

/// Offers another run or results file for a side.
ComparePage::Obstacle ComparePage::withAnother(std::size_t side, Obstacle way) {
  way.action = tr("Choose another %1…").arg(letterOf(side));
  way.act = [runs = sides_.at(side).runs] {
    runs->setFocus();
    runs->showPopup();
  };
  way.otherAction = tr("Open results as %1…").arg(letterOf(side));
  way.actOther = [this, side] { askForResults(side); };
  return way;
}

/// A and B are of different data; a results file may have another ground truth.
ComparePage::Obstacle ComparePage::otherData() {
  Obstacle way = withAnother(
      1, {tr("A and B cannot be compared"), tr("A and B: %1.").arg(datasetDifference_)});
  const auto file = fileSide();
  if (!file) return way;
  way.otherAction = tr("Choose ground truth…");
  way.actOther = [this, side = *file] { askForAnnotations(side); };
  return way;
}

std::optional<std::size_t> ComparePage::fileSide() const {
  for (std::size_t i = 0; i < sides_.size(); ++i)
    if (sides_.at(i).of->isOfFile()) return i;
  return std::nullopt;
}

std::optional<ComparePage::Obstacle> ComparePage::emptySide() {
  const auto empty = std::ranges::find_if(sides_, [](const Side& of) { return of.of->isEmpty(); });
  if (empty == sides_.end()) return std::nullopt;
  const auto side = static_cast<std::size_t>(empty - sides_.begin());
  const auto open = [this, side] { askForResults(side); };
  if (sides_.at(1 - side).of->isEmpty())
    return Obstacle{tr("No runs to compare"),
                    tr("Select two runs on the left, or one, to compare two of its checkpoints; or "
                       "open COCO results of any program."),
                    tr("Open results…"), open};
  return Obstacle{tr("%1 is not chosen yet").arg(letterOf(side)),
                  tr("Select a run on the left, or open COCO results of any program."),
                  tr("Open results as %1…").arg(letterOf(side)), open};
}

std::optional<ComparePage::Obstacle> ComparePage::unreadableFile() {
  for (std::size_t i = 0; i < sides_.size(); ++i)
    if (const ComparedSide& of = *sides_.at(i).of; of.isOfFile() && !of.failure().isEmpty())
      return obstacleOf(i);
  return std::nullopt;
}

std::optional<ComparePage::Obstacle> ComparePage::obstacle() {
  if (auto unreadable = unreadableFile()) return unreadable;
  if (auto none = emptySide()) return none;
  for (std::size_t i = 0; i < sides_.size(); ++i)
    if (auto own = obstacleOf(i)) return own;
  if (!datasetDifference_.isEmpty()) return otherData();
  const coco::Dataset& dataset = *sides_[0].of->heldOut()->dataset;
  const auto& others = sides_[1].of->predictions();
  const bool haveCommon = std::ranges::any_of(sides_[0].of->predictions(), [&](const auto& one) {
    return others.contains(one.first) && dataset.findImage(one.first);
  });
  if (haveCommon) return std::nullopt;
  const auto* run = std::ranges::find_if(sides_, [](const Side& side) { return side.of->run(); });
  Obstacle way = withAnother(1, {tr("A and B have predictions of different images"),
                                 tr("Only common images can be compared.")});
  if (run == sides_.end()) return way;
  way.cause = tr("Predict all images with both.");
  way.action = tr("Predict all");
  way.act = [of = run->of] { of->predictAll(); };
  return way;
}

/// In the place of the image, until there is one.
void ComparePage::showEmpty(const std::optional<Obstacle>& way) {
  if (way) {
    empty_->setContent(way->title, way->cause, way->action, way->otherAction);
  } else if (isBringingImage_) {
    empty_->setContent(tr("Fetching the image…"), {});
  } else if (const int all = tables_->objects()->countAll();
             all > 0 && tables_->objects()->rowCount() == 0) {
    empty_->setContent(tr("No object to show"), tr("All %Ln object(s) are filtered out.", "", all),
                       tr("Show all"));
  } else {
    empty_->setContent(tr("No object to show"),
                       tr("The images that both have predicted have no objects."));
  }
  const bool isViewed = !way && view_->hasImage();
  stack_->setCurrentWidget(isViewed ? viewer_ : static_cast<QWidget*>(empty_));
  showTables();
}

/// Without an image there is no room that they would take from it, nor the button that hides them.
void ComparePage::showTables() {
  tables_->setVisible(tablesShown_->isChecked() || stack_->currentWidget() != viewer_);
}

/// Ignored detections, and the rules of evaluation if those of A and B differ.
QString ComparePage::notes() const {
  QStringList notes{rulesNote(), predictingNote()};
  if (isOneRunByItself()) notes << oneRunNote();
  for (std::size_t i = 0; i < sides_.size(); ++i) notes << notesOf(i);
  if (isBringingImage_)
    notes << tr("Fetching the image…");
  else if (shownImage_)
    notes << shownImage_->failure;
  notes << said_;
  notes.removeAll(QString());
  return notes.join(u'\n');
}

/// A reload of the side, and its ignored detections.
QStringList ComparePage::notesOf(std::size_t side) const {
  const QString letter = letterOf(side);
  QStringList notes;
  if (sides_.at(side).of->isReadAgain())
    notes << tr("%1 has changed on the disk and was read again.").arg(letter);
  const auto& matched = comparison_->matched();
  const std::size_t unlisted = matched ? matched->side(side).unlisted : 0;
  if (unlisted > 0)
    notes << tr("%1: %Ln detection(s) of classes that the annotations do not list are ignored.", "",
                static_cast<int>(unlisted))
                 .arg(letter);
  return notes;
}

/// How A and B were chosen.
QString ComparePage::oneRunNote() const {
  const auto& best = sides_[0].of->run()->info().best;
  const bool isBest = best && best->step == sides_[0].of->step();
  const bool isNewest = sides_[1].of->step() == sides_[1].of->steps().all().back();
  if (isNewest)
    return isBest ? tr("One run is selected: A is its best checkpoint, B its newest.")
                  : tr("One run is selected: A is an earlier checkpoint of it, B its newest.");
  return isBest
             ? tr("One run is selected: A is its best checkpoint, B its newest with predictions.")
             : tr("One run is selected: A is an earlier checkpoint of it, B its newest with "
                  "predictions.");
}

/// How the images that are not predicted yet come on, or why they do not.
QString ComparePage::predictingNote() const {
  QStringList notes;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const ComparedSide& of = *sides_.at(i).of;
    if (!of.progress().isEmpty())
      notes << tr("Predicting the other images of %1: %2.").arg(letterOf(i), of.progress());
    else if (!of.failure().isEmpty())
      notes << tr("%1: %2").arg(letterOf(i), of.failure());
  }
  return notes.join(u' ');
}

QString ComparePage::rulesNote() const {
  const widgets::MatchRules first = sides_[0].of->rules(), second = sides_[1].of->rules();
  QStringList notes;
  if (first.type != second.type)
    notes << tr("Some results of %1 have no mask: both are evaluated by their boxes.")
                 .arg(letterOf(first.type == coco::IouType::Box ? 0 : 1));
  const auto hasMasks = [](const Side& side) {
    return side.of->heldOut()->iouType != coco::IouType::Box;
  };
  if (first.type == coco::IouType::Box && second.type == coco::IouType::Box &&
      std::ranges::any_of(sides_, hasMasks))
    notes << tr("Neither has masks: both are evaluated by their boxes.");
  if (first.maxDetections != second.maxDetections)
    notes << tr("evaluation.max_dets is %1 for A and %2 for B: both are evaluated with %3.")
                 .arg(limitsText(first), limitsText(second), limitsText(rules()));
  return notes.join(u' ');
}

QString ComparePage::nameOf(std::size_t side) const {
  const Side& own = sides_.at(side);
  const QString name = tr("%1: %2").arg(letterOf(side), own.runs->currentText());
  return own.of->isOfFile() ? name
                            : tr("%1, step %2").arg(name, QLocale().toString(own.of->step()));
}

QString ComparePage::verdict() const { return verdict_->text(); }

QString ComparePage::verdictNow() const {
  if (const QString why = comparison_->failure(); !why.isEmpty()) return why;
  if (areSame()) return tr("A and B are the same checkpoint: choose another for one of them.");
  const auto& pair = results();
  if (!pair) return tr("Comparing…");
  const bool isSameStep = sides_[0].of->step() == sides_[1].of->step();
  return verdictText(*pair, comparison_->compared()->rules.type,
                     sides_[0].of->heldOut()->dataset->images().size(),
                     settings_ && isSameStep ? spreadText(*settings_) : QString());
}

void ComparePage::showState() {
  const auto way = obstacle();
  showEmpty(way);
  QStringList found;
  if (!way) found << verdictNow() << notes();
  found.removeAll(QString());
  verdict_->setText(widgets::inertText(found.join(u'\n')));
  verdict_->setVisible(!found.isEmpty());
  showOffer(!way);
  QToolButton* opening = tables_->objectsView()->opening();
  opening->setEnabled(sides_[0].of->run() || sides_[1].of->run());
  opening->setToolTip(opening->isEnabled()
                          ? tr("Shows the chosen object on the Predictions page")
                          : tr("A and B are results files: Predictions shows runs"));
  view_->setNames(nameOf(0), nameOf(1));
  announceViewState();
  if (isReady()) Q_EMIT readyChanged();
}

/// Only beside a comparison: in the way of one stands what offers it.
void ComparePage::showOffer(bool isCompared) {
  if (isCompared && !comparison_->failure().isEmpty()) {
    offer_->setText(tr("Read again"));
    offer_->setToolTip(tr("Reads A and B again from the disk"));
    return offer_->show();
  }
  QStringList letters;
  std::size_t most = 0;
  bool isPredicting = false;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const ComparedSide& of = *sides_.at(i).of;
    isPredicting = isPredicting || !of.progress().isEmpty();
    most = std::max(most, of.imagesToPredict());
    if (of.imagesToPredict() > 0) letters << letterOf(i);
  }
  offer_->setVisible(isCompared && (isPredicting || most > 0));
  offer_->setText(isPredicting ? tr("Cancel")
                  : letters.size() == 1
                      ? tr("Predict the other %L1 of %2").arg(most).arg(letters[0])
                      : tr("Predict the other %L1").arg(most));
  offer_->setToolTip(isPredicting ? tr("Stops predicting; existing predictions are kept")
                                  : tr("Predicts all validation images with the checkpoints of %1, "
                                       "so that both are compared on all of them")
                                        .arg(letters.join(tr(" and "))));
}

void ComparePage::takeOffer() {
  if (comparison_->failure().isEmpty()) return predictOthers();
  readAgain();
}

void ComparePage::readAgain() {
  for (Side& side : sides_) side.of->readAgain();
}

/// Or stops that.
void ComparePage::predictOthers() {
  const bool isPredicting =
      std::ranges::any_of(sides_, [](const Side& side) { return !side.of->progress().isEmpty(); });
  const bool isPossible =
      std::ranges::any_of(sides_, [](const Side& side) { return side.of->imagesToPredict() > 0; });
  if (!isPredicting && !isPossible)
    return say(tr("There is no other image that A or B can predict."));
  for (const Side& side : sides_) {
    if (isPredicting && !side.of->progress().isEmpty()) side.of->cancelPrediction();
    if (!isPredicting && side.of->imagesToPredict() > 0) side.of->predictAll();
  }
}

}  // namespace lockstep::app
