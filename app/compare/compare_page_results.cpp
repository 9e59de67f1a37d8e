// Results files that ComparePage opens, and what it keeps for the next start.
#include <QAbstractButton>
#include <QButtonGroup>
#include <QDoubleSpinBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QToolButton>
#include <QUrl>
#include <algorithm>

#include "app/compare/compare_page.h"
#include "app/compare/compared_curves.h"
#include "app/text/distinct_names.h"
#include "widgets/comparison/comparison_tables.h"
#include "widgets/comparison/confusion_view.h"
#include "widgets/comparison/recall_view.h"
#include "widgets/drop_hint.h"
#include "widgets/image_view/paired_view.h"
#include "widgets/jobs/awaited.h"
#include "widgets/plots/axis_choice.h"

namespace lockstep::app {
namespace {

const QString kSides = QStringLiteral("sides"), kPath = QStringLiteral("path"),
              kStep = QStringLiteral("step"), kIsFile = QStringLiteral("isFile"),
              kAnnotations = QStringLiteral("annotations"), kTab = QStringLiteral("tab"),
              kClass = QStringLiteral("class"), kMatrix = QStringLiteral("matrix"),
              kMode = QStringLiteral("mode"), kScore = QStringLiteral("score"),
              kAxis = QStringLiteral("axis"), kLoss = QStringLiteral("loss"),
              kUnit = QStringLiteral("unit"), kTables = QStringLiteral("tables"),
              kTabs = QStringLiteral("tabs"), kLastAnnotations = QStringLiteral("lastAnnotations");

}  // namespace

void ComparePage::askForResults(std::size_t side) {
  const QString &own = sides_.at(side).path, &other = sides_.at(1 - side).path;
  const QString results = QFileDialog::getOpenFileName(
      this, tr("Open results as %1").arg(letterOf(side)),
      jobs::folderToBeginWith(own.isEmpty() ? other : own), tr("COCO results (*.json)"));
  if (!results.isEmpty()) openResultsAt(side, {results});
}

void ComparePage::askForAnnotations(std::size_t side) {
  const QString results = sides_.at(side).path;
  const QString annotations = QFileDialog::getOpenFileName(
      this, tr("Ground truth of the results"),
      jobs::folderToBeginWith(lastAnnotations_.isEmpty() ? results : lastAnnotations_),
      tr("COCO annotations (*.json)"));
  if (!annotations.isEmpty()) openResultsAt(side, {results, annotations});
}

void ComparePage::openResults(const ResultsSource& source) {
  openResultsAt(sides_[0].path.isEmpty() ? 0 : 1, source);
}

/// Annotations that were chosen here stay for the next file.
void ComparePage::openResultsAt(std::size_t place, const ResultsSource& source) {
  const auto& before = sides_.at(place).of->file();
  ResultsSource& own = opened_[source.results];
  own = source;
  if (own.annotations.isEmpty() && before) own.annotations = before->annotations;
  if (!source.annotations.isEmpty()) lastAnnotations_ = source.annotations;
  leaveOneRun(place);
  hasChosen_ = true;
  keptState_.reset();
  sides_.at(place).path = source.results;
  sides_.at(place).of->setRun(nullptr);  // the file may be another one by now
  for (Side& side : sides_) fillRuns(side);
  for (Side& side : sides_) chooseRun(side, side.path);
  refresh();
}

void ComparePage::dragEnterEvent(QDragEnterEvent* event) {
  const QList<QUrl> files = event->mimeData()->urls();
  const bool areJson = !files.isEmpty() && std::ranges::all_of(files, [](const QUrl& file) {
    return file.toLocalFile().endsWith(QLatin1String(".json"), Qt::CaseInsensitive);
  });
  if (!areJson || files.size() > 2) return;
  event->acceptProposedAction();
  showDropHint(*event);
}

void ComparePage::dragMoveEvent(QDragMoveEvent* event) {
  event->acceptProposedAction();
  showDropHint(*event);
}

void ComparePage::dragLeaveEvent(QDragLeaveEvent* event) {
  QWidget::dragLeaveEvent(event);
  dropHint_->hide();
}

/// The left half is A, the right half B, as the images stand.
std::size_t ComparePage::sideAt(QPointF place) const { return place.x() < width() / 2.0 ? 0 : 1; }

void ComparePage::showDropHint(const QDropEvent& event) {
  QStringList files;
  for (const QUrl& url : event.mimeData()->urls()) files << url.toLocalFile();
  const QStringList names = distinctNames(files);
  const std::size_t side = sideAt(event.position());
  dropHint_->showText(
      files.size() == 2 ? tr("Drop to compare %1 as A with %2 as B").arg(names[0], names[1])
      : side == 0 ? tr("Drop to open the results %1 as A\n(in the right half: as B)").arg(names[0])
                  : tr("Drop to open the results %1 as B\n(in the left half: as A)").arg(names[0]));
}

/// Of two files, the first is A.
void ComparePage::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  dropHint_->hide();
  const QList<QUrl> files = event->mimeData()->urls();
  if (files.size() == 1)
    return openResultsAt(sideAt(event->position()), {files.front().toLocalFile()});
  for (std::size_t i = 0; i < sides_.size(); ++i)
    openResultsAt(i, {files.at(static_cast<qsizetype>(i)).toLocalFile()});
}

/// What a person has chosen, and A where it is not the window's current run, which is selected
/// first at the next start.
QVariantList ComparePage::keptSides() const {
  if (keptState_) return keptState_->value(kSides).toList();
  if (!hasChosen_ && !fileSide() && (shown_.size() < 2 || sides_[0].path == current_)) return {};
  QVariantList sides;
  for (const Side& side : sides_) {
    const bool isFile = side.of->isOfFile();
    QVariantMap kept{{kPath, side.path},
                     {kIsFile, isFile},
                     {kAnnotations, isFile ? side.of->file()->annotations : QString()}};
    if (side.of->hasStep()) kept[kStep] = side.of->step();
    sides << kept;
  }
  return sides;
}

QVariantMap ComparePage::viewState() const {
  return {{kSides, keptSides()},
          {kTab, tables_->currentIndex()},
          {kTabs, tables_->viewState()},
          {kClass, tables_->recall()->wantedClass()},
          {kMatrix, static_cast<int>(tables_->confusions()->shownView())},
          {kUnit, static_cast<int>(tables_->confusions()->unit())},
          {kTables, tablesShown_->isChecked()},
          {kMode, modes_->checkedId()},
          {kScore, score_->value()},
          {kAxis, static_cast<int>(curves_->axis()->axis())},
          {kLoss, curves_->figure()},
          {kLastAnnotations, lastAnnotations_}};
}

void ComparePage::restoreViewState(const QVariantMap& state) {
  if (state.isEmpty()) return;
  tables_->setCurrentIndex(std::clamp(state.value(kTab).toInt(), 0, tables_->count() - 1));
  tables_->restoreViewState(state.value(kTabs).toMap());
  lastAnnotations_ = state.value(kLastAnnotations).toString();
  tables_->recall()->wantClass(state.value(kClass).toString());
  tables_->confusions()->setView(
      static_cast<widgets::ComparedView>(std::clamp(state.value(kMatrix).toInt(), 0, 2)));
  tables_->confusions()->setUnit(
      static_cast<widgets::ConfusionUnit>(std::clamp(state.value(kUnit).toInt(), 0, 2)));
  tablesShown_->setChecked(state.value(kTables, true).toBool());
  if (QAbstractButton* mode = modes_->button(state.value(kMode).toInt())) mode->click();
  score_->setValue(state.value(kScore).toDouble());
  curves_->axis()->setAxis(static_cast<widgets::XAxis>(state.value(kAxis).toInt()));
  curves_->setFigure(state.value(kLoss).toString());
  if (state.value(kSides).toList().size() != 2) return;
  keptState_ = state;
  isStale_ = !isVisible();
  if (!isStale_) chooseRuns();
}

/// Once all of its runs are shown.
void ComparePage::applyKeptState() {
  if (!keptState_) return;
  const QVariantList sides = keptState_->value(kSides).toList();
  const auto isThere = [this](const QVariant& side) {
    const QVariantMap map = side.toMap();
    return map.value(kIsFile).toBool() || isShown(map.value(kPath).toString());
  };
  if (!std::ranges::all_of(sides, isThere)) return;
  hasChosen_ = true;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const QVariantMap map = sides.at(static_cast<qsizetype>(i)).toMap();
    Side& side = sides_.at(i);
    side.path = map.value(kPath).toString();
    if (map.value(kIsFile).toBool())
      opened_[side.path] = {side.path, map.value(kAnnotations).toString()};
  }
  keptState_.reset();
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    Side& side = sides_.at(i);
    fillRuns(side);
    chooseRun(side, side.path);
    const QVariantMap map = sides.at(static_cast<qsizetype>(i)).toMap();
    if (side.of->run() && map.contains(kStep)) side.of->setStep(map.value(kStep).toLongLong());
  }
}

}  // namespace lockstep::app
