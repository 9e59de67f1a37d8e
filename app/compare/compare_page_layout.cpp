// What ComparePage consists of, and where it stands at each size of the window.
#include <QButtonGroup>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/compare/compare_page.h"
#include "app/compare/compared_curves.h"
#include "widgets/comparison/comparison_tables.h"
#include "widgets/drop_hint.h"
#include "widgets/empty_state.h"
#include "widgets/image_view/paired_view.h"
#include "widgets/named_action.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

/// Of the page: from these widths on, images stand beside the tables, and B beside A.
constexpr int kBesideFromPx = 560, kOneRowFromPx = 620;
/// The least of the tables where they stand beside the images.
constexpr int kTablesPx = 280;
/// A box of runs is no wider than a long name.
constexpr int kMostOfRunsPx = 420;

}  // namespace

void ComparePage::buildUi() {
  setAccessibleName(tr("Compare"));
  verdict_ = new QLabel;
  verdict_->setWordWrap(true);
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
  split_->addWidget(tables_);
  split_->addWidget(stack_);
  split_->setChildrenCollapsible(false);
  split_->setStretchFactor(0, 2);
  split_->setStretchFactor(1, 3);
  connect(split_, &QSplitter::splitterMoved, this, [this] { isSplitChosen_ = true; });
  // What it would like to have is more than low windows have; the least is set in placeTables().
  split_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 10, 12, 10);
  column->setSpacing(8);
  column->addWidget(buildSides());
  column->addLayout(buildVerdict());
  column->addWidget(split_, 1);
  dropHint_ = new widgets::DropHint(this);
}

/// With what would make it one of more images.
QLayout* ComparePage::buildVerdict() {
  offer_ = new QPushButton;
  offer_->hide();
  auto* row = new QHBoxLayout;
  row->addWidget(verdict_, 1);
  row->addWidget(offer_, 0, Qt::AlignTop);
  return row;
}

QWidget* ComparePage::buildSides() {
  auto* head = new QWidget;
  head_ = new QGridLayout(head);
  head_->setContentsMargins(0, 0, 0, 0);
  for (const std::size_t place : {std::size_t{0}, std::size_t{1}}) {
    Side& side = sides_.at(place);
    const QString letter = letterOf(place);
    side.name = new QLabel(letter, head);
    widgets::setRole(side.name, "given");
    side.runs = new QComboBox(head);
    side.runs->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    side.runs->setMinimumContentsLength(8);
    side.runs->setMaximumWidth(widgets::scaledPx(kMostOfRunsPx));
    side.runs->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    side.runs->setAccessibleName(tr("Run of %1").arg(letter));
    side.steps = new QComboBox(head);
    side.steps->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    side.steps->setAccessibleName(tr("Checkpoint of %1").arg(letter));
  }
  swap_ = new QToolButton(head);
  swap_->setText(tr("Swap"));
  swap_->setToolTip(tr("A becomes B, and B becomes A"));
  swap_->setAccessibleName(tr("Swap A and B"));
  widgets::showKeysOf(swap_, "compare.swap");
  toFiles_ =
      new widgets::ExportButton(this, widgets::ActionPlace::Compare, QStringLiteral("compare"));
  toFiles_->setParent(head);
  connect(toFiles_, &widgets::ExportButton::requested, this, &ComparePage::exportRequested);
  return head;
}

/// A beside B, or above it.
void ComparePage::placeHead() {
  const bool isOneRow = width() >= widgets::scaledPx(kOneRowFromPx);
  if (std::exchange(isOneRow_, isOneRow) == isOneRow) return;
  const int ofB = isOneRow ? 4 : 0, rowOfB = isOneRow ? 0 : 1;
  int place = 0;
  for (const Side& side : sides_) {
    const int row = place == 0 ? 0 : rowOfB;
    int column = place == 0 ? 0 : ofB;
    for (QWidget* part : {static_cast<QWidget*>(side.name), static_cast<QWidget*>(side.runs),
                          static_cast<QWidget*>(side.steps)})
      head_->addWidget(part, row, column++);
    ++place;
  }
  head_->addWidget(swap_, 0, 3);
  head_->addWidget(toFiles_, rowOfB, isOneRow ? 8 : 3);
  head_->setColumnStretch(1, 2);
  head_->setColumnStretch(5, isOneRow ? 2 : 0);
  head_->setColumnStretch(7, isOneRow ? 1 : 0);
}

QWidget* ComparePage::buildViewer() {
  auto* page = new QWidget;
  auto* tools = new QHBoxLayout;
  tools->setContentsMargins(8, 0, 0, 0);
  modes_ = new QButtonGroup(this);
  using widgets::PairedView;
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
  tablesShown_ = new QToolButton;
  tablesShown_->setText(tr("Tables"));
  tablesShown_->setToolTip(tr("Show or hide the tables beside the images"));
  tablesShown_->setCheckable(true);
  tablesShown_->setChecked(true);
  widgets::showKeysOf(tablesShown_, "compare.tables");
  score_ = new QDoubleSpinBox;
  score_->setRange(0, 1);
  score_->setSingleStep(0.05);
  score_->setMinimumWidth(widgets::scaledPx(112));
  score_->setValue(widgets::MatchThresholds().score);
  score_->setObjectName(QStringLiteral("score"));
  score_->setPrefix(tr("score ≥ "));
  score_->setAccessibleName(tr("Score from which detections count"));
  tools->addStretch();
  tools->addWidget(tablesShown_);
  tools->addWidget(score_);
  view_ = new PairedView;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->addLayout(tools);
  column->addWidget(view_, 1);
  return page;
}

void ComparePage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  placeTables();
}

void ComparePage::placeTables() {
  placeHead();
  const int viewerPx = viewer_->minimumSizeHint().width();
  const QMargins margins = layout()->contentsMargins();
  const int bothPx = widgets::scaledPx(kTablesPx) + split_->handleWidth() + viewerPx +
                     margins.left() + margins.right();
  const bool isBeside = width() >= std::max(widgets::scaledPx(kBesideFromPx), bothPx);
  // The minimum is below bothPx: otherwise the page could not shrink until they are stacked.
  split_->setMinimumWidth(viewerPx);
  split_->setOrientation(isBeside ? Qt::Horizontal : Qt::Vertical);
  tables_->setMinimumWidth(isBeside ? widgets::scaledPx(kTablesPx) : 0);
  if (isBeside && !isSplitChosen_) {
    // Wide enough for all tabs, unless the images would be too small then.
    const int room = split_->width() - split_->handleWidth();
    const int tabs = tables_->tabBar()->sizeHint().width();
    const int least = std::min(tables_->minimumWidth(), room);
    const int own = std::clamp(room - viewerPx, least, std::max(tabs, least));
    split_->setSizes({own, room - own});
  }
  split_->setMinimumHeight(split_->minimumSizeHint().height());
}

}  // namespace lockstep::app
