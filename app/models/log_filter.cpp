#include "app/models/log_filter.h"

#include "app/models/log_model.h"
#include "app/models/word_match.h"

namespace lockstep::app {

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
