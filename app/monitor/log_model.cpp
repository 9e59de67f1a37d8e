#include "app/monitor/log_model.h"

#include <QDateTime>

#include "app/text/window_words.h"
#include "app/text/word_match.h"

namespace lockstep::app {

int LogModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(entries_.size());
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const LogEntry& entry = entries_[index.row()];
  if (role == TimeRole && entry.time <= 0) return QString();
  const QString time = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(entry.time * 1000))
                           .toString(QStringLiteral("HH:mm:ss"));
  switch (role) {
    case TimeRole:
      return time;
    case StepRole:
      return static_cast<qint64>(entry.step);
    case LevelRole:
      return QVariant::fromValue(entry.level);
    case TextRole:
      return inWindowWords(entry.text);
    case Qt::DisplayRole:
      return QString(time + QStringLiteral("  ") + inWindowWords(entry.text));
    default:
      return {};
  }
}

void LogModel::setEntries(const std::vector<LogEntry>& entries) {
  std::size_t same = std::min(entries.size(), entries_.size());
  auto isSame = [](const LogEntry& a, const LogEntry& b) {
    return a.seq == b.seq && a.step == b.step && a.time == b.time && a.text == b.text;
  };
  // Entries are only added or removed at the end, so if one is equal, all before it are, too. Those
  // of another run differ from the first on.
  if (same > 0 && !isSame(entries[0], entries_[0])) same = 0;
  while (same > 0 && !isSame(entries[same - 1], entries_[same - 1])) --same;
  if (same < entries_.size()) {
    beginRemoveRows({}, static_cast<int>(same), static_cast<int>(entries_.size()) - 1);
    entries_.resize(same);
    endRemoveRows();
  }
  if (same < entries.size()) {
    beginInsertRows({}, static_cast<int>(same), static_cast<int>(entries.size()) - 1);
    entries_.insert(entries_.end(), entries.begin() + static_cast<std::ptrdiff_t>(same),
                    entries.end());
    endInsertRows();
  }
}

void LogFilter::setWords(const QString& words) {
  words_ = words;
  invalidateFilter();
}

void LogFilter::setLeastLevel(LogEntry::Level level) {
  least_ = level;
  invalidateFilter();
}

bool LogFilter::hidesAll() const { return rowCount() == 0 && sourceModel()->rowCount() > 0; }

bool LogFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QModelIndex line = sourceModel()->index(row, 0, parent);
  return line.data(LogModel::LevelRole).value<LogEntry::Level>() >= least_ &&
         hasAllWords(line.data(LogModel::TextRole).toString(), words_);
}

}  // namespace lockstep::app
