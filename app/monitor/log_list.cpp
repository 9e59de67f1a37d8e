#include "app/monitor/log_list.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHelpEvent>
#include <QLabel>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTextLayout>
#include <QTextOption>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "app/monitor/log_model.h"
#include "widgets/literal_text.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

constexpr int kLeftPx = 20, kRightPx = 12, kGapPx = 10;

int linePx() { return widgets::scaledPx(19); }

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

/// As an experiment's errors and warnings have them.
QString signOf(LogEntry::Level level) {
  if (level == LogEntry::Level::Error) return QStringLiteral("● ");
  return level == LogEntry::Level::Warning ? QStringLiteral("▲ ") : QString();
}

LogEntry::Level levelAt(const QModelIndex& line) {
  return line.data(LogModel::LevelRole).value<LogEntry::Level>();
}

QString shownText(const QModelIndex& line) {
  const QString text = line.data(LogModel::TextRole).toString().simplified();
  return signOf(levelAt(line)) + widgets::inertText(text);
}

/// At words, and within one that is longer than a line, such as a path.
QTextOption wrapping() {
  QTextOption option(Qt::AlignVCenter | Qt::AlignLeft);
  option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  return option;
}

int wrappedHeight(const QString& text, const QFont& font, int widthPx) {
  QTextLayout layout(text, font);
  layout.setTextOption(wrapping());
  double height = 0;
  layout.beginLayout();
  for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
    line.setLineWidth(std::max(1, widthPx));
    height += line.height();
  }
  layout.endLayout();
  return static_cast<int>(std::ceil(height));
}

/// Paints time and text in a monospaced font, the text in the colour of its level.
class LogDelegate : public QStyledItemDelegate {
 public:
  LogDelegate(LogList::Lines lines, LogList* list)
      : QStyledItemDelegate(list), lines_(lines), list_(list) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const widgets::Theme& theme = widgets::currentTheme();
    painter->save();
    if (option.state & QStyle::State_Selected) painter->fillRect(option.rect, theme.selection);
    painter->setFont(widgets::monoFont(12));
    QRect time = option.rect.adjusted(kLeftPx, 0, -kRightPx, 0);
    time.setHeight(linePx());
    painter->setPen(theme.textFaint);
    painter->drawText(time, Qt::AlignVCenter, index.data(LogModel::TimeRole).toString());
    painter->setPen(colorOf(levelAt(index), theme));
    const QRect place = textRect(option.rect, index);
    if (lines_ == LogList::Lines::Wrapped) {
      painter->drawText(QRectF(place), shownText(index), wrapping());
    } else {
      painter->drawText(place, Qt::AlignVCenter, elided(place.width(), index));
    }
    painter->restore();
  }

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
    if (lines_ == LogList::Lines::Elided) return {200, linePx()};
    const QFont font = widgets::monoFont(12);
    const int room = textRect(list_->viewport()->rect(), index).width();
    const int high = wrappedHeight(shownText(index), font, room);
    return {200, linePx() + std::max(0, high - QFontMetrics(font).height())};
  }

  bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                 const QModelIndex& index) override {
    const bool isCut = index.isValid() && lines_ == LogList::Lines::Elided &&
                       elided(textRect(option.rect, index).width(), index) != shownText(index);
    QToolTip::showText(event->globalPos(),
                       isCut ? index.data(LogModel::TextRole).toString() : QString(), view);
    return true;
  }

 private:
  static QRect textRect(const QRect& row, const QModelIndex& index) {
    const QString time = index.data(LogModel::TimeRole).toString();
    const int wide = QFontMetrics(widgets::monoFont(12)).horizontalAdvance(time);
    return row.adjusted(kLeftPx + wide + kGapPx, 0, -kRightPx, 0);
  }

  static QString elided(int widthPx, const QModelIndex& index) {
    return QFontMetrics(widgets::monoFont(12))
        .elidedText(shownText(index), Qt::ElideRight, widthPx);
  }

  LogList::Lines lines_;
  LogList* list_;
};

}  // namespace

LogList::LogList(Lines lines, QAbstractItemModel* shown, QWidget* parent) : QListView(parent) {
  setModel(shown);
  setItemDelegate(new LogDelegate(lines, this));
  setUniformItemSizes(lines == Lines::Elided);
  setResizeMode(Adjust);
  setSelectionMode(ExtendedSelection);
  setVerticalScrollMode(ScrollPerPixel);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setMinimumHeight(linePx());  // leave more room to the pages in a low window
  verticalScrollBar()->setSingleStep(linePx());
  empty_ = new QLabel(this);  // children of the viewport would scroll
  empty_->setObjectName(QStringLiteral("empty"));
  empty_->setWordWrap(true);
  empty_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  empty_->setContentsMargins(kLeftPx, 6, kRightPx, 0);
  empty_->setAttribute(Qt::WA_TransparentForMouseEvents);
  widgets::setRole(empty_, "faint");
  auto* copyLines = new QAction(tr("Copy the lines"), this);
  copyLines->setShortcut(QKeySequence::Copy);
  copyLines->setShortcutContext(Qt::WidgetShortcut);
  connect(copyLines, &QAction::triggered, this, &LogList::copy);
  addAction(copyLines);
  setContextMenuPolicy(Qt::ActionsContextMenu);
  connectSignals();
}

void LogList::connectSignals() {
  QScrollBar* bar = verticalScrollBar();
  connect(bar, &QScrollBar::valueChanged, this,
          [this, bar] { followsEnd_ = bar->value() >= bar->maximum(); });
  connect(bar, &QScrollBar::rangeChanged, this, [this, bar] {
    if (followsEnd_) bar->setValue(bar->maximum());
  });
  connect(model(), &QAbstractItemModel::rowsInserted, this, &LogList::updateEmptyText);
  connect(model(), &QAbstractItemModel::rowsRemoved, this, [this] {
    // What comes next is the log of another run.
    if (model()->rowCount() == 0) followsEnd_ = true;
    updateEmptyText();
  });
}

void LogList::setEmptyText(const QString& text, const QString& detail) {
  emptyText_ = text;
  emptyDetail_ = detail;
  updateEmptyText();
}

/// A detail without room goes to the tool tip.
void LogList::updateEmptyText() {
  const bool isEmpty = model()->rowCount() == 0;
  empty_->setVisible(isEmpty);
  viewport()->setToolTip({});
  if (!isEmpty) return;
  empty_->setGeometry(viewport()->geometry());
  empty_->setText(emptyDetail_.isEmpty() ? emptyText_ : emptyText_ + u' ' + emptyDetail_);
  if (empty_->heightForWidth(viewport()->width()) <= viewport()->height()) return;
  empty_->setText(emptyText_);
  viewport()->setToolTip(emptyDetail_);
}

void LogList::copy() const {
  QModelIndexList lines = selectedIndexes();
  std::ranges::sort(lines, {}, &QModelIndex::row);
  QStringList texts;
  for (const QModelIndex& line : lines) {
    const QString text =
        line.data(LogModel::TimeRole).toString() + u' ' + line.data(LogModel::TextRole).toString();
    texts.append(text.trimmed());
  }
  if (!texts.isEmpty()) QGuiApplication::clipboard()->setText(texts.join(u'\n'));
}

void LogList::resizeEvent(QResizeEvent* event) {
  QListView::resizeEvent(event);
  updateEmptyText();
}

}  // namespace lockstep::app
