#include "app/monitor/log_panel.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTabBar>
#include <QVBoxLayout>

#include "app/models/run_alerts.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

int linePx() { return widgets::scaledPx(19); }

/// A list with a text for when it is empty.
class LogList : public QListView {
 public:
  explicit LogList(const QString& emptyText) : emptyText_(emptyText) {
    setMinimumHeight(2 * linePx());  // leave more room to the pages in a low window
  }

 protected:
  void paintEvent(QPaintEvent* event) override {
    QListView::paintEvent(event);
    if (model()->rowCount() > 0) return;
    const auto* filtered = qobject_cast<QSortFilterProxyModel*>(model());
    const bool isFiltered = filtered && filtered->sourceModel()->rowCount() > 0;
    QPainter painter(viewport());
    painter.setPen(widgets::currentTheme().textFaint);
    painter.drawText(viewport()->rect().adjusted(20, 6, -12, 0),
                     Qt::AlignTop | Qt::AlignLeft | Qt::TextWordWrap,
                     isFiltered ? LogPanel::tr("No line has this text") : emptyText_);
  }

 private:
  QString emptyText_;
};

QColor colorOf(LogEntry::Level level, const widgets::Theme& theme) {
  switch (level) {
    case LogEntry::Level::Error:
      return theme.error;
    case LogEntry::Level::Warning:
      return theme.warning;
    case LogEntry::Level::Progress:
      return theme.textMuted;
    case LogEntry::Level::Info:
      break;
  }
  return theme.text;
}

/// Paints time and text in a monospaced font, the text in the colour of its level.
class LogDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const widgets::Theme& theme = widgets::currentTheme();
    painter->save();
    if (option.state & QStyle::State_Selected) painter->fillRect(option.rect, theme.selection);
    const QFont font = widgets::monoFont(12);
    painter->setFont(font);
    QRect line = option.rect.adjusted(20, 0, -12, 0);
    const QString time = index.data(LogModel::TimeRole).toString();
    painter->setPen(theme.textFaint);
    painter->drawText(line, Qt::AlignVCenter, time);
    line.adjust(QFontMetrics(font).horizontalAdvance(time) + 10, 0, 0, 0);
    painter->setPen(colorOf(index.data(LogModel::LevelRole).value<LogEntry::Level>(), theme));
    painter->drawText(
        line, Qt::AlignVCenter,
        QFontMetrics(font).elidedText(index.data(LogModel::TextRole).toString().simplified(),
                                      Qt::ElideRight, line.width()));
    painter->restore();
  }

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {200, linePx()};
  }
};

}  // namespace

LogPanel::LogPanel(QWidget* parent) : QWidget(parent) {
  buildUi();
  connectSignals();
}

QListView* LogPanel::makeList(QAbstractItemModel* model, const QString& name,
                              const QString& emptyText) {
  auto* list = new LogList(emptyText);
  list->setModel(model);
  list->setItemDelegate(new LogDelegate(list));
  list->setUniformItemSizes(true);
  list->setAccessibleName(name);
  // A click leaves the focus, and so its keys, to the page.
  list->setFocusPolicy(Qt::TabFocus);
  auto* copy = new QAction(tr("Copy the line"), list);
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetShortcut);
  connect(copy, &QAction::triggered, list, [list] {
    const QModelIndex line = list->currentIndex();
    if (line.isValid())
      QGuiApplication::clipboard()->setText(line.data(LogModel::TimeRole).toString() + u' ' +
                                            line.data(LogModel::TextRole).toString());
  });
  list->addAction(copy);
  list->setContextMenuPolicy(Qt::ActionsContextMenu);
  return list;
}

void LogPanel::buildUi() {
  widgets::setRole(this, "panel");
  tabs_ = new QTabBar;
  widgets::setRole(tabs_, "small");
  tabs_->addTab(tr("Log"));
  tabs_->addTab(tr("Alerts"));
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  filter_ = new QLineEdit;
  filter_->setObjectName(QStringLiteral("logFilter"));
  filter_->setAccessibleName(tr("Filter log"));
  filter_->setPlaceholderText(tr("Filter log"));
  filter_->setClearButtonEnabled(true);
  filter_->setFixedWidth(widgets::scaledPx(220));
  log_ = new LogModel(this);
  alerts_ = new LogModel(this);
  shownLog_ = new QSortFilterProxyModel(this);
  shownLog_->setSourceModel(log_);
  shownLog_->setFilterRole(LogModel::TextRole);
  shownLog_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  logList_ = makeList(shownLog_, tr("Log"), tr("The log is empty"));
  alertList_ = makeList(
      alerts_, tr("Alerts"),
      tr("No alerts. Alerts report non-finite losses, loss spikes, overfitting, slow ranks, "
         "failed writes of checkpoints and files, and failed runs"));
  stack_ = new QStackedWidget;
  stack_->addWidget(logList_);
  stack_->addWidget(alertList_);

  head_ = new QWidget(this);
  auto* head = new QHBoxLayout(head_);
  head->setContentsMargins(0, 0, 0, 0);
  head->addWidget(tabs_);
  head->addStretch();
  head->addWidget(filter_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 4);
  column->addWidget(stack_, 1);
}

void LogPanel::connectSignals() {
  connect(tabs_, &QTabBar::currentChanged, this, [this](int tab) {
    stack_->setCurrentIndex(tab);
    filter_->setVisible(tab == 0);
  });
  connect(filter_, &QLineEdit::textChanged, shownLog_,
          &QSortFilterProxyModel::setFilterFixedString);
  for (QListView* list : {logList_, alertList_})
    connect(list, &QListView::activated, this, [this](const QModelIndex& index) {
      Q_EMIT stepChosen(index.data(LogModel::StepRole).toLongLong());
    });
}

void LogPanel::setLog(const std::vector<LogEntry>& entries) {
  QScrollBar* bar = logList_->verticalScrollBar();
  const bool follows = bar->value() >= bar->maximum() - linePx();
  log_->setEntries(entries);
  if (follows) logList_->scrollToBottom();
}

void LogPanel::setAlerts(const std::vector<protocol::Alert>& alerts) {
  alerts_->setEntries(alertLines(alerts));
  tabs_->setTabText(1, alerts.empty() ? tr("Alerts") : tr("Alerts %1").arg(alerts.size()));
}

void LogPanel::showAlerts() { tabs_->setCurrentIndex(1); }

}  // namespace lockstep::app
