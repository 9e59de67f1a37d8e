#include "app/frame/top_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/runs/panel/state_pill.h"
#include "widgets/curves/number_text.h"
#include "widgets/elided_label.h"
#include "widgets/icon.h"
#include "widgets/literal_text.h"
#include "widgets/named_action.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

constexpr int kHeightPx = 52;
// Widths of Train and of the run's name are fractions of the window's width, whatever their text.
constexpr int kMinTrainPx = 92, kMaxTrainPx = 210, kMinNamePx = 70, kMaxNamePx = 210;
constexpr double kTrainFraction = 0.15, kNameFraction = 0.14;
constexpr int kBrandFromPx = 1100;
/// Pause and Stop are icons in a narrower bar.
constexpr int kButtonTextsFromPx = 760;
/// Width of Train's icon, gaps and frame.
constexpr int kTrainFramePx = 52;
// Between the icon of a button and its text.
const QString kGap = QStringLiteral("\u2009\u2009");

QLabel* metricLabel(const char* role) {
  auto* label = new QLabel;
  label->setFont(widgets::monoFont(13));
  widgets::setRole(label, role);
  return label;
}

}  // namespace

bool TopBarStatus::isWorking() const {
  return state == protocol::RunState::Running || state == protocol::RunState::Evaluating;
}

bool TopBarStatus::canStop() const {
  return isLive && (isWorking() || state == protocol::RunState::Paused);
}

bool TopBarStatus::resumes() const { return state == protocol::RunState::Paused || canResume; }

QString TopBarStatus::stepText() const {
  if (state.isEmpty()) return {};
  return maxSteps > 0 ? tr("step %1 / %2").arg(step).arg(maxSteps) : tr("step %1").arg(step);
}

QString TopBarStatus::widestStepText() const {
  return maxSteps > 0 ? tr("step %1 / %2").arg(maxSteps).arg(maxSteps) : QString();
}

TopBar::TopBar(QWidget* parent) : QWidget(parent) {
  buildUi();
  connectSignals();
  updateIcons();
  updateButtons();
}

void TopBar::buildUi() {
  setObjectName(QStringLiteral("topBar"));
  setFixedHeight(widgets::scaledPx(kHeightPx));
  buildWidgets();
  layOut();
}

void TopBar::buildWidgets() {
  brand_ = new QLabel(QStringLiteral("Lockstep"));
  brand_->setObjectName(QStringLiteral("brand"));
  brand_->setFont(widgets::interfaceFont(16, QFont::Bold));
  brand_->setContentsMargins(0, 0, 10, 0);
  runName_ = new widgets::ElidedLabel(Qt::ElideMiddle);
  runName_->setObjectName(QStringLiteral("runName"));
  runName_->setFont(widgets::interfaceFont(13, QFont::DemiBold));
  hiddenNote_ = new widgets::ElidedLabel(tr("hidden by the filter"), Qt::ElideRight);
  hiddenNote_->setFont(widgets::interfaceFont(11));
  hiddenNote_->setToolTip(
      tr("The filter of the run list hides this run, which Pause and Stop act on. Esc clears it."));
  widgets::setRole(hiddenNote_, "warning");
  hiddenNote_->hide();
  train_ = new QPushButton(kGap + tr("Train"));
  train_->setObjectName(QStringLiteral("trainButton"));
  widgets::setRole(train_, "primary");
  queue_ = new QPushButton(tr("Queue"));
  queue_->setObjectName(QStringLiteral("queueButton"));
  queue_->hide();
  pause_ = new QPushButton;
  pause_->setObjectName(QStringLiteral("pauseButton"));
  stop_ = new QPushButton;
  stop_->setAccessibleName(tr("Stop"));
  stop_->setObjectName(QStringLiteral("stopButton"));
  stop_->setToolTip(tr("Save a checkpoint and stop; the run can be resumed"));
  for (QPushButton* button : {train_, pause_, stop_}) button->setIconSize({12, 12});
  widgets::showKeysOf(train_, "experiment.train");
  widgets::showKeysOf(queue_, "experiment.queue");
  widgets::showKeysOf(pause_, "run.pause");
  widgets::showKeysOf(stop_, "run.stop");
  pill_ = new StatePill;
  QSizePolicy keepsPlace = pill_->sizePolicy();
  keepsPlace.setRetainSizeWhenHidden(true);
  pill_->setSizePolicy(keepsPlace);
  step_ = metricLabel("");
  progress_ = new QProgressBar;
  progress_->setTextVisible(false);
  progress_->setFixedHeight(4);
  progress_->setMinimumWidth(80);
  progress_->setMaximumWidth(230);
  timeLeft_ = metricLabel("muted");
  speed_ = metricLabel("muted");
  averagePrecision_ = metricLabel("");
  heldOut_ = metricLabel("");
  menu_ = new QToolButton;
  menu_->setObjectName(QStringLiteral("menuButton"));
  menu_->setToolTip(tr("Menu"));
  menu_->setAccessibleName(tr("Menu"));
  widgets::showKeysOf(menu_, "window.menu");
  menu_->setPopupMode(QToolButton::InstantPopup);
  widgets::setRole(menu_, "icon");
  menu_->setFixedSize(widgets::scaledPx(32), widgets::scaledPx(28));
}

void TopBar::layOut() {
  auto* line = new QFrame;
  line->setFixedSize(1, 24);
  widgets::setRole(line, "divider");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(20, 0, 14, 1);
  row->setSpacing(8);
  row->addWidget(brand_);
  row->addWidget(train_);
  row->addWidget(queue_);
  row->addSpacing(8);
  row->addWidget(line);
  row->addSpacing(8);
  for (QPushButton* button : {pause_, stop_}) row->addWidget(button);
  row->addSpacing(8);
  names_ = new QWidget;
  auto* names = new QVBoxLayout(names_);
  names->setContentsMargins(0, 0, 0, 0);
  names->setSpacing(0);
  names->addStretch();
  names->addWidget(runName_);
  names->addWidget(hiddenNote_);
  names->addStretch();
  row->addWidget(names_);
  row->addWidget(pill_);
  row->addWidget(step_);
  row->addSpacing(8);
  row->addWidget(progress_, 1);
  for (QLabel* label : {timeLeft_, speed_, averagePrecision_, heldOut_}) {
    row->addSpacing(10);
    row->addWidget(label);
  }
  row->addStretch(1);
  row->addWidget(menu_);
}

void TopBar::connectSignals() {
  connect(train_, &QPushButton::clicked, this, &TopBar::trainRequested);
  connect(queue_, &QPushButton::clicked, this, &TopBar::queueRequested);
  connect(stop_, &QPushButton::clicked, this, &TopBar::stopRequested);
  connect(pause_, &QPushButton::clicked, this, [this] {
    if (status_.resumes()) {
      Q_EMIT resumeRequested();
    } else {
      Q_EMIT pauseRequested();
    }
  });
}

/// A label never gets narrower, so that nothing moves when the number of digits changes.
void TopBar::showMetric(QLabel* label, const QString& text) {
  label->setText(text);
  label->setMinimumWidth(std::max(label->minimumWidth(), label->sizeHint().width()));
}

void TopBar::setStatus(const TopBarStatus& status) {
  if (status.name != status_.name)
    for (QLabel* label : {step_, timeLeft_, speed_, averagePrecision_, heldOut_})
      label->setMinimumWidth(0);
  status_ = status;
  runName_->setText(status.name);
  runName_->setToolTip(status.tip.isEmpty() ? status.name
                                            : tr("Run %1\n%2").arg(status.name, status.tip));
  hiddenNote_->setVisible(status.isHidden);
  pill_->setState(status.state);
  if (status.maxSteps > 0) showMetric(step_, status.widestStepText());
  showMetric(step_, status.stepText());
  progress_->setMaximum(1000);
  progress_->setValue(status.maxSteps > 0 ? static_cast<int>(1000 * status.step / status.maxSteps)
                                          : 0);
  showMetric(timeLeft_, status.isWorking() && status.secondsLeft
                            ? tr("ETA %1").arg(widgets::durationText(*status.secondsLeft))
                            : QString());
  showMetric(speed_, status.isWorking() && status.imagesPerSecond
                         ? tr("%1 images/s").arg(*status.imagesPerSecond, 0, 'f', 1)
                         : QString());
  showMetric(averagePrecision_,
             status.averagePrecision
                 ? QStringLiteral("%1 %2").arg(status.averagePrecisionName,
                                               widgets::rateText(*status.averagePrecision))
                 : QString());
  showMetric(heldOut_, status.heldOutLoss
                           ? tr("val loss %1").arg(widgets::valueText(*status.heldOutLoss))
                           : QString());
  averagePrecision_->setToolTip(
      status.averagePrecisionScope.isEmpty()
          ? QString()
          : tr("%1\nThe run list shows the best.").arg(status.averagePrecisionScope));
  heldOut_->setToolTip(status.heldOutLossScope);
  updateButtons();
  fitMetrics();
}

void TopBar::setExperiment(const QString& name, bool isTrainable, const QString& tip) {
  experiment_ = name;
  isTrainable_ = isTrainable;
  train_->setToolTip(tip);
  updateTrain();
}

void TopBar::setBusy(const QString& who) {
  queue_->setToolTip(tr("Train it when the devices are free. In use now:\n%1").arg(who));
  queue_->setVisible(!who.isEmpty());
  fitMetrics();
}

void TopBar::setStarting(bool starting) {
  starting_ = starting;
  updateTrain();
  updateButtons();
}

void TopBar::updateTrain() {
  const QString text = starting_               ? tr("Starting…")
                       : experiment_.isEmpty() ? tr("Train")
                                               : tr("Train %1").arg(experiment_);
  train_->setText(kGap + widgets::literalText(train_->fontMetrics().elidedText(
                             text, Qt::ElideMiddle, train_->width() - kTrainFramePx)));
  train_->setAccessibleName(text);
  train_->setEnabled(isTrainable_ && !starting_);
  queue_->setEnabled(train_->isEnabled());
}

/// Widths depend on the window's width only, so that nothing moves when names change.
void TopBar::fitNames() {
  brand_->setVisible(width() >= widgets::scaledPx(kBrandFromPx));
  train_->setFixedWidth(std::clamp(static_cast<int>(width() * kTrainFraction),
                                   widgets::scaledPx(kMinTrainPx), widgets::scaledPx(kMaxTrainPx)));
  names_->setFixedWidth(std::clamp(static_cast<int>(width() * kNameFraction),
                                   widgets::scaledPx(kMinNamePx), widgets::scaledPx(kMaxNamePx)));
  updateTrain();
}

void TopBar::setMenu(QMenu* menu) { menu_->setMenu(menu); }

void TopBar::openMenu() {
  QMenu* menu = menu_->menu();
  const QPoint corner = menu_->mapToGlobal(menu_->rect().bottomRight());
  menu->popup(corner - QPoint(menu->sizeHint().width(), 0));
  menu->setActiveAction(menu->actions().value(0));
}

void TopBar::updateButtons() {
  const bool didResume = pause_->accessibleName() == tr("Resume");
  pause_->setAccessibleName(status_.resumes() ? tr("Resume") : tr("Pause"));
  pause_->setText(buttonText(pause_->accessibleName()));
  pause_->setToolTip(status_.canResume   ? tr("Resume from the latest checkpoint")
                     : status_.resumes() ? tr("Resume")
                                         : tr("Pause after the current step"));
  pause_->setEnabled(canPauseOrResume());
  stop_->setEnabled(canStop());
  if (status_.resumes() != didResume) updateIcons();
}

bool TopBar::canStop() const { return status_.canStop(); }

bool TopBar::canPauseOrResume() const { return canStop() || (status_.canResume && !starting_); }

QString TopBar::buttonText(const QString& word) const {
  return width() >= widgets::scaledPx(kButtonTextsFromPx) ? kGap + word : QString();
}

/// Pause keeps its width when its text changes, so that Stop does not move.
void TopBar::fitButtons() {
  int widest = 0;
  for (const QString& word : {tr("Pause"), tr("Resume"), pause_->accessibleName()}) {
    pause_->setText(buttonText(word));
    widest = std::max(widest, pause_->sizeHint().width());
  }
  pause_->setMinimumWidth(widest);
  stop_->setText(buttonText(stop_->accessibleName()));
}

void TopBar::updateIcons() {
  const widgets::Theme& theme = widgets::currentTheme();
  train_->setIcon(widgets::icon(QStringLiteral("play"), theme.accentText, theme.textFaint));
  pause_->setIcon(
      widgets::icon(status_.resumes() ? QStringLiteral("play") : QStringLiteral("pause"),
                    theme.text, theme.textFaint));
  stop_->setIcon(widgets::icon(QStringLiteral("stop"), theme.text, theme.textFaint));
  menu_->setIcon(widgets::icon(QStringLiteral("more"), theme.textMuted));
}

void TopBar::fitMetrics() {
  const bool hasRun = !status_.state.isEmpty();
  pill_->setVisible(hasRun);
  const auto needed = [this](const QWidget* widget) {
    return std::max(widget->minimumWidth(), 1) + layout()->spacing();
  };
  // In order of importance. How far it is, the step says too.
  const std::initializer_list<QWidget*> metrics{step_,     timeLeft_, averagePrecision_,
                                                progress_, heldOut_,  speed_};
  layout()->invalidate();
  int used = layout()->minimumSize().width();
  for (const QWidget* widget : metrics)
    if (!widget->isHidden()) used -= needed(widget);
  for (QWidget* widget : metrics) {
    const auto* label = qobject_cast<QLabel*>(widget);
    const bool hasContent = hasRun && (label ? !label->text().isEmpty() : status_.maxSteps > 0);
    const bool fits = hasContent && used + needed(widget) <= width();
    widget->setVisible(fits);
    if (fits) used += needed(widget);
  }
}

void TopBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitButtons();
  fitNames();
  fitMetrics();
}

void TopBar::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && menu_) updateIcons();
}

void TopBar::paintEvent(QPaintEvent*) {
  const widgets::Theme& theme = widgets::currentTheme();
  QPainter painter(this);
  painter.fillRect(rect(), theme.panel);
  painter.fillRect(0, height() - 1, width(), 1, theme.divider);
}

}  // namespace lockstep::app
