#include "widgets/plots/curve_card.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMetaMethod>
#include <QMouseEvent>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "widgets/elided_label.h"
#include "widgets/icon.h"
#include "widgets/named_action.h"
#include "widgets/plots/card_legend.h"
#include "widgets/plots/event_marks.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kTitlePx = 180;

/// A gap needs both of its curves.
std::vector<Curve> withoutHidden(const std::vector<Curve>& curves, const QStringList& hidden) {
  std::vector<int> places;  // in the result
  std::vector<Curve> shown;
  for (const Curve& curve : curves) {
    const bool isShown = !hidden.contains(curve.name);
    places.push_back(isShown ? static_cast<int>(shown.size()) : -1);
    if (isShown) shown.push_back(curve);
  }
  for (Curve& curve : shown)
    if (curve.gapTo >= 0) curve.gapTo = places[static_cast<std::size_t>(curve.gapTo)];
  return shown;
}

}  // namespace

CurveCard::CurveCard(const QString& title, DrawQueue* queue, QWidget* parent)
    : QFrame(parent), title_(title) {
  buildUi(queue);
  connectSignals();
  updateIcons();
}

void CurveCard::buildUi(DrawQueue* queue) {
  setRole(this, "card");
  titleLabel_ = new ElidedLabel(title_, Qt::ElideMiddle);
  setRole(titleLabel_, "heading");
  // The legend gives way before it.
  titleLabel_->setMinimumWidth(std::min(titleLabel_->sizeHint().width(), scaledPx(kTitlePx)));
  subtitle_ = new QLabel;
  setRole(subtitle_, "muted");
  subtitle_->hide();
  legend_ = new CardLegend;
  resetButton_ = new QToolButton;
  resetButton_->setToolTip(tr("Reset zoom (double-click on the plot)"));
  resetButton_->hide();
  menuButton_ = new QToolButton;
  menuButton_->setToolTip(tr("Axes and export"));
  resetButton_->setAccessibleName(tr("Reset the zoom of %1").arg(title_));
  menuButton_->setAccessibleName(tr("Menu of %1").arg(title_));
  for (QToolButton* button : {resetButton_, menuButton_}) {
    setRole(button, "icon");
    button->setFixedSize(scaledPx(24), scaledPx(22));
    button->setIconSize({scaledPx(16), scaledPx(16)});
  }
  plot_ = new CurvePlot(queue);
  plot_->setAccessibleName(title_);
  empty_ = new QLabel(plot_);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setAttribute(Qt::WA_TransparentForMouseEvents);
  setRole(empty_, "faint");
  empty_->hide();

  auto* header = new QHBoxLayout;
  header->setContentsMargins(14, 9, 8, 0);
  header->setSpacing(8);
  header->addWidget(titleLabel_);
  header->addWidget(legend_, 1);
  header->addWidget(subtitle_);
  header->addWidget(resetButton_);
  header->addWidget(menuButton_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(1, 1, 1, 5);
  column->setSpacing(4);
  column->addLayout(header);
  column->addWidget(plot_, 1);
}

void CurveCard::connectSignals() {
  connect(menuButton_, &QToolButton::clicked, this,
          [this] { openMenu(menuButton_->mapToGlobal(menuButton_->rect().bottomLeft()), {}); });
  connect(legend_, &CardLegend::toggled, this,
          [this](int entry) { toggle(legend_->nameOf(entry)); });
  connect(resetButton_, &QToolButton::clicked, plot_, &CurvePlot::resetView);
  // A zoom of another card, or of the last session, is only drawn.
  for (const auto signal : {&CurvePlot::viewChanged, &CurvePlot::drawn})
    connect(plot_, signal, this, [this] { resetButton_->setVisible(plot_->isZoomed()); });
  connect(plot_, &CurvePlot::cursorMoved, this, [this](std::optional<double> x) { cursorX_ = x; });
  connect(plot_, &CurvePlot::menuRequested, this,
          [this](const QPoint& position) { openMenu(position, cursorX_); });
  connect(plot_, &CurvePlot::drawn, this, &CurveCard::updateEmptyText);
}

void CurveCard::updateIcons() {
  const Theme& theme = currentTheme();
  resetButton_->setIcon(icon(QStringLiteral("fit"), theme.textMuted));
  menuButton_->setIcon(icon(QStringLiteral("more"), theme.textMuted));
}

void CurveCard::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && menuButton_) updateIcons();
}

void CurveCard::setSubtitle(const QString& text, bool isWarning) {
  subtitle_->setText(text);
  const char* role = isWarning ? "warning" : "muted";
  if (subtitle_->property("role") != QLatin1String(role)) setRole(subtitle_, role);
  subtitle_->setVisible(!text.isEmpty());
}

QString CurveCard::subtitle() const { return subtitle_->text(); }

void CurveCard::setCurves(std::vector<Curve> curves) {
  curves_ = std::move(curves);
  showCurves();
  updateLegend();
}

void CurveCard::showCurves() {
  plot_->setCurves(withoutHidden(curves_, hidden_));
  updateEmptyText();
}

void CurveCard::setEventMarks(std::vector<EventMark> marks) {
  const std::vector<EventMark::Kind> before = markKinds(marks_);
  marks_ = std::move(marks);
  if (before != markKinds(marks_)) updateLegend();
  showMarks();
}

void CurveCard::showMarks() {
  std::vector<EventMark> shown = marks_;
  std::erase_if(shown,
                [this](const EventMark& mark) { return hidden_.contains(markName(mark.kind)); });
  plot_->setEventMarks(std::move(shown));
}

void CurveCard::setHidden(const QStringList& names) {
  if (names == hidden_) return;
  hidden_ = names;
  updateLegend();
  showCurves();
  showMarks();
}

void CurveCard::toggle(const QString& name) {
  QStringList hidden = hidden_;
  if (hidden.removeAll(name) == 0) hidden << name;
  setHidden(hidden);
  Q_EMIT hiddenChanged();
}

void CurveCard::setLegendVisible(bool visible) {
  if (visible == std::exchange(hasLegend_, visible)) return;
  updateLegend();
}

/// A legend that is not shown keeps its place but has no entries.
void CurveCard::updateLegend() {
  legend_->setContent(hasLegend_ ? curves_ : std::vector<Curve>(), markKinds(marks_), hidden_);
}

void CurveCard::setFooter(QWidget* footer) { layout()->addWidget(footer); }

void CurveCard::setTitleTip(const QString& text) { titleLabel_->setToolTip(text); }

void CurveCard::setEmptyText(const QString& text) {
  emptyText_ = text;
  updateEmptyText();
}

void CurveCard::setHiddenText(const QString& text) {
  hiddenText_ = text;
  updateEmptyText();
}

void CurveCard::refresh() { plot_->refresh(); }

void CurveCard::updateEmptyText() {
  const bool areHidden = plot_->curves().size() < curves_.size();
  empty_->setText(areHidden               ? tr("Hidden: click a name above to show it")
                  : hiddenText_.isEmpty() ? emptyText_
                                          : hiddenText_);
  empty_->setVisible(!plot_->hasPoints() && !empty_->text().isEmpty());
  empty_->setGeometry(plot_->rect().adjusted(24, 0, -24, -16));
  empty_->raise();
}

void CurveCard::mousePressEvent(QMouseEvent* event) {
  const QPoint at = event->position().toPoint();
  if (event->button() == Qt::LeftButton && at.y() < plot_->y()) pressedAt_ = at;
}

void CurveCard::mouseMoveEvent(QMouseEvent* event) {
  if (!pressedAt_ || isDragged_) return;
  const QPoint way = event->position().toPoint() - *pressedAt_;
  isDragged_ = way.manhattanLength() >= QApplication::startDragDistance();
  if (isDragged_) setCursor(Qt::ClosedHandCursor);
}

void CurveCard::mouseReleaseEvent(QMouseEvent* event) {
  pressedAt_.reset();
  if (!std::exchange(isDragged_, false)) return;
  unsetCursor();
  Q_EMIT dropped(event->globalPosition().toPoint());
}

void CurveCard::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->position().y() < plot_->y()) Q_EMIT expandRequested();
}

/// `x`: where the menu was opened in the plot; std::nullopt: by the button, for the whole card.
void CurveCard::openMenu(const QPoint& globalPosition, std::optional<double> x) {
  // Not run here: one of its entries may remove the card.
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  if (x && isSignalConnected(QMetaMethod::fromSignal(&CurveCard::predictionsRequested))) {
    menu->addAction(tr("Predictions at this step"), this,
                    [this, at = *x] { Q_EMIT predictionsRequested(at); });
    menu->addSeparator();
  }
  auto addToggle = [&](const QString& text, bool checked, auto slot) {
    QAction* action = menu->addAction(text);
    action->setCheckable(true);
    action->setChecked(checked);
    connect(action, &QAction::toggled, plot_, slot);
  };
  addToggle(withKeysOf(window(), "monitor.log_y", tr("Log-scale Y")), plot_->isLogY(),
            [this](bool on) { plot_->setLogY(on); });
  addToggle(withKeysOf(window(), "monitor.log_x", tr("Log-scale X")), plot_->isLogX(),
            [this](bool on) { plot_->setLogX(on); });
  addToggle(withKeysOf(window(), "monitor.outliers", tr("Ignore outliers")),
            plot_->isIgnoringOutliers(), [this](bool on) { plot_->setIgnoreOutliers(on); });
  menu->addSeparator();
  menu->addAction(withKeysOf(window(), "monitor.reset_zoom", tr("Reset zoom")), plot_,
                  &CurvePlot::resetView);
  if (isSignalConnected(QMetaMethod::fromSignal(&CurveCard::expandRequested)))
    menu->addAction(withKeysOf(window(), "monitor.maximize", tr("Maximize")), this,
                    &CurveCard::expandRequested);
  Q_EMIT menuOpened(menu);
  if (isSignalConnected(QMetaMethod::fromSignal(&CurveCard::exportRequested))) {
    menu->addSeparator();
    menu->addAction(tr("Export…"), this, &CurveCard::exportRequested);
  }
  menu->popup(globalPosition);
}

}  // namespace lockstep::widgets
