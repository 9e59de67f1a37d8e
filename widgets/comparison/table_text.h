#pragma once

#include <QString>

class QAbstractItemModel;

namespace lockstep::widgets {

enum class TableFormat { Markdown, Csv };

/// A table as it is shown, with its headings, as text for another program: rows that have rows of
/// their own are their headings. Blocks for milliseconds per ten thousand rows.
QString tableText(const QAbstractItemModel& model, TableFormat format);

}  // namespace lockstep::widgets
