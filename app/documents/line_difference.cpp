#include "app/documents/line_difference.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <vector>

namespace lockstep::app {
namespace {

/// Above this many pairs of differing lines they are not matched: all of them are reported as
/// removed, then added.
constexpr qsizetype kMaxPairs = 4'000'000;

/// Lines [begin, end) of both texts.
struct Window {
  qsizetype beforeBegin = 0, beforeEnd = 0, afterBegin = 0, afterEnd = 0;
};

Window withoutCommonEnds(const QStringList& before, const QStringList& after) {
  Window window{0, before.size(), 0, after.size()};
  while (window.beforeBegin < window.beforeEnd && window.afterBegin < window.afterEnd &&
         before[window.beforeBegin] == after[window.afterBegin]) {
    ++window.beforeBegin;
    ++window.afterBegin;
  }
  while (window.beforeBegin < window.beforeEnd && window.afterBegin < window.afterEnd &&
         before[window.beforeEnd - 1] == after[window.afterEnd - 1]) {
    --window.beforeEnd;
    --window.afterEnd;
  }
  return window;
}

/// Writes the differing lines of a window, removed before added ones, by the longest common
/// subsequence.
class DifferenceWriter {
 public:
  DifferenceWriter(const QStringList& before, const QStringList& after, const Window& window)
      : before_(before), after_(after), window_(window) {}

  QStringList write() {
    const qsizetype rows = window_.beforeEnd - window_.beforeBegin,
                    columns = window_.afterEnd - window_.afterBegin;
    qsizetype row = 0, column = 0;
    if (rows * columns <= kMaxPairs) {
      measure(rows, columns);
      while (row < rows && column < columns) {
        if (beforeAt(row) == afterAt(column)) {
          ++row;
          ++column;
        } else if (lengths_[at(row + 1, column)] >= lengths_[at(row, column + 1)]) {
          remove(row++);
        } else {
          add(column++);
        }
      }
    }
    while (row < rows) remove(row++);
    while (column < columns) add(column++);
    return lines_;
  }

 private:
  const QString& beforeAt(qsizetype row) const { return before_[window_.beforeBegin + row]; }
  const QString& afterAt(qsizetype column) const { return after_[window_.afterBegin + column]; }
  std::size_t at(qsizetype row, qsizetype column) const {
    return static_cast<std::size_t>(row * stride_ + column);
  }

  /// Length of the longest common subsequence from each pair of lines on.
  void measure(qsizetype rows, qsizetype columns) {
    stride_ = columns + 1;
    lengths_.assign(static_cast<std::size_t>((rows + 1) * stride_), 0);
    for (qsizetype row = rows - 1; row >= 0; --row) {
      for (qsizetype column = columns - 1; column >= 0; --column) {
        lengths_[at(row, column)] =
            beforeAt(row) == afterAt(column)
                ? lengths_[at(row + 1, column + 1)] + 1
                : std::max(lengths_[at(row + 1, column)], lengths_[at(row, column + 1)]);
      }
    }
  }

  void remove(qsizetype row) {
    lines_ << QStringLiteral("%1 − %2").arg(window_.beforeBegin + row + 1, 4).arg(beforeAt(row));
  }
  void add(qsizetype column) {
    lines_
        << QStringLiteral("%1 + %2").arg(window_.afterBegin + column + 1, 4).arg(afterAt(column));
  }

  const QStringList& before_;
  const QStringList& after_;
  Window window_;
  qsizetype stride_ = 0;
  std::vector<int> lengths_;
  QStringList lines_;
};

}  // namespace

QString lineDifference(const QString& before, const QString& after, int maxLines) {
  const QStringList left = before.split(QLatin1Char('\n')), right = after.split(QLatin1Char('\n'));
  QStringList lines = DifferenceWriter(left, right, withoutCommonEnds(left, right)).write();
  if (lines.size() > maxLines) {
    const int more = static_cast<int>(lines.size()) - maxLines;
    lines = lines.mid(0, maxLines);
    lines << QCoreApplication::translate("lineDifference", "and %n more line(s)", "", more);
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace lockstep::app
