#include "app/monitor/log_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>
#include <algorithm>

#include "app/monitor/log_list.h"
#include "app/runs/open/run_alerts.h"
#include "widgets/fold_button.h"
#include "widgets/named_action.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

enum Tab { Log, Alerts };

}  // namespace

LogPanel::LogPanel(QWidget* parent) : QWidget(parent) {
  buildUi();
  connectSignals();
  updateEmptyText();
}

void LogPanel::buildUi() {
  widgets::setRole(this, "panel");
  tabs_ = new QTabBar;
  tabs_->setUsesScrollButtons(false);
  widgets::setRole(tabs_, "small");
  tabs_->addTab(tr("Log"));
  tabs_->addTab(tr("Alerts"));
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  log_ = new LogModel(this);
  alerts_ = new LogModel(this);
  shownLog_ = new LogFilter(this);
  shownLog_->setSourceModel(log_);
  logList_ = new LogList(LogList::Lines::Elided, shownLog_);
  logList_->setAccessibleName(tr("Log"));
  alertList_ = new LogList(LogList::Lines::Wrapped, alerts_);
  alertList_->setAccessibleName(tr("Alerts"));
  alertList_->setToolTip(tr("Click to show the alert in the curves"));
  // A click leaves the focus, and so its keys, to the curves.
  alertList_->setFocusPolicy(Qt::TabFocus);
  alertList_->setEmptyText(
      tr("No alerts."),
      tr("Alerts report non-finite losses, loss spikes, overfitting, slow ranks, failed writes of "
         "checkpoints and files, and failed runs."));
  stack_ = new QStackedWidget;
  stack_->addWidget(logList_);
  stack_->addWidget(alertList_);
  buildFilters();
  buildHead();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 4);
  column->addWidget(stack_, 1);
}

void LogPanel::buildHead() {
  fold_ = new widgets::FoldButton;
  fold_->setTitle({});
  widgets::setRole(fold_, "icon");
  fold_->setOpen(true);
  fold_->setFocusPolicy(Qt::NoFocus);  // the keyboard has an action for it
  fold_->setAccessibleName(tr("Log and alerts: fold or unfold"));
  fold_->setToolTip(fold_->accessibleName());
  widgets::showKeysOf(fold_, "window.fold_log");
  head_ = new QWidget(this);
  auto* head = new QHBoxLayout(head_);
  head->setContentsMargins(0, 0, 0, 0);
  head->addWidget(fold_);
  head->addWidget(tabs_);
  head->addStretch();
  head->addWidget(level_);
  head->addWidget(filter_);
}

void LogPanel::buildFilters() {
  level_ = new QComboBox;
  level_->setObjectName(QStringLiteral("logLevel"));
  level_->setAccessibleName(tr("Lines of the log"));
  level_->addItem(tr("All lines"), QVariant::fromValue(LogEntry::Level::Progress));
  level_->addItem(tr("Without progress"), QVariant::fromValue(LogEntry::Level::Info));
  level_->addItem(tr("▲ Warnings and errors"), QVariant::fromValue(LogEntry::Level::Warning));
  level_->addItem(tr("● Errors"), QVariant::fromValue(LogEntry::Level::Error));
  filter_ = new QLineEdit;
  filter_->setObjectName(QStringLiteral("logFilter"));
  filter_->setAccessibleName(tr("Filter log"));
  filter_->setPlaceholderText(tr("Filter log: words, /regex/"));
  filter_->setClearButtonEnabled(true);
  filter_->setMaximumWidth(widgets::scaledPx(190));
  for (QWidget* filter : {static_cast<QWidget*>(level_), static_cast<QWidget*>(filter_)})
    filter->setMinimumWidth(widgets::scaledPx(60));
}

void LogPanel::connectSignals() {
  connect(tabs_, &QTabBar::currentChanged, this, [this](int tab) {
    stack_->setCurrentIndex(tab);
    showFilters();
  });
  connect(fold_, &widgets::FoldButton::openChanged, this,
          [this](bool isOpen) { Q_EMIT foldRequested(!isOpen); });
  connect(tabs_, &QTabBar::tabBarClicked, this, [this] {
    if (!fold_->isOpen()) Q_EMIT foldRequested(false);
  });
  const auto showFiltered = [this] {
    updateEmptyText();
    // With the lines around it.
    if (logList_->currentIndex().isValid()) logList_->scrollTo(logList_->currentIndex());
  };
  connect(filter_, &QLineEdit::textChanged, this, [this, showFiltered](const QString& words) {
    shownLog_->setWords(words);
    showFiltered();
  });
  connect(level_, &QComboBox::currentIndexChanged, this, [this, showFiltered] {
    shownLog_->setLeastLevel(level_->currentData().value<LogEntry::Level>());
    showFiltered();
  });
  connect(logList_, &LogList::activated, this, [this](const QModelIndex& line) {
    Q_EMIT stepChosen(line.data(LogModel::StepRole).toLongLong());
  });
  for (const auto chosen : {&LogList::clicked, &LogList::activated})
    connect(alertList_, chosen, this, [this](const QModelIndex& line) {
      Q_EMIT alertChosen(shownAlerts_[static_cast<std::size_t>(line.row())]);
    });
}

void LogPanel::showFilters() {
  const bool areOfUse = fold_->isOpen() && tabs_->currentIndex() == Log;
  filter_->setVisible(areOfUse);
  level_->setVisible(areOfUse);
}

void LogPanel::setFolded(bool isFolded) {
  fold_->setOpen(!isFolded);
  stack_->setVisible(!isFolded);
  showFilters();
}

void LogPanel::updateEmptyText() {
  logList_->setEmptyText(shownLog_->hidesAll()
                             ? tr("No line matches: clear the filter, or choose all lines")
                             : tr("The log is empty"));
}

void LogPanel::setLog(const std::vector<LogEntry>& entries) {
  log_->setEntries(entries);
  hasErrors_ = std::ranges::any_of(
      entries, [](const LogEntry& entry) { return entry.level == LogEntry::Level::Error; });
  updateEmptyText();
}

void LogPanel::setAlerts(const std::vector<protocol::Alert>& alerts,
                         const std::vector<std::int64_t>& checkpointSteps) {
  shownAlerts_ = alerts;
  alerts_->setEntries(alertLines(alerts, checkpointSteps));
  tabs_->setTabText(Alerts, alerts.empty() ? tr("Alerts") : tr("Alerts %1").arg(alerts.size()));
}

void LogPanel::showAlerts() { tabs_->setCurrentIndex(Alerts); }

void LogPanel::focusFilter() {
  tabs_->setCurrentIndex(Log);
  filter_->setFocus(Qt::ShortcutFocusReason);
  filter_->selectAll();
}

}  // namespace lockstep::app
