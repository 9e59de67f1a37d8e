#pragma once

#include <QVariantMap>

class QHeaderView;

namespace lockstep::widgets {

/// What a table is sorted by, for a later start.
QVariantMap sortState(const QHeaderView& header);
/// Nothing if the state is empty, or of a column that there is not.
void restoreSort(QHeaderView& header, const QVariantMap& state);

}  // namespace lockstep::widgets
