#pragma once

#include <QString>

class QAbstractItemModel;

namespace lockstep::widgets {

enum class TableFormat { Markdown, Csv };

/// What a cell has besides its text if it shows a number: that, as a float, double or count. What
/// is not finite is missing.
constexpr int kFigureRole = Qt::UserRole;

/// More rows of a table, or of a row, are not copied.
constexpr int kMostCopiedRows = 10000;

/// A table as it is shown, with its headings, as text for another program: rows that have rows of
/// their own are their headings. CSV has numbers as other programs read them, with all digits.
/// Blocks for milliseconds per ten thousand rows.
QString tableText(const QAbstractItemModel& model, TableFormat format);

}  // namespace lockstep::widgets
