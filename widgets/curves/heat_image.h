#pragma once

#include <QColor>
#include <QImage>
#include <QString>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace lockstep::widgets {

/// A row of a heat map: the values of a tag. A value holds until the next one.
struct HeatRow {
  QString name;
  std::vector<std::int64_t> steps;  ///< ascending
  std::vector<float> values;        ///< as many
};

/// Logarithmic: positive values from low to high.
struct HeatScale {
  double low = 1, high = 10;
  bool operator==(const HeatScale&) const = default;
};

/// That of most values: from the 1st to the 99th percentile of the positive ones, at least a
/// decade.
HeatScale heatScaleOf(const std::vector<HeatRow>& rows);

/// Dark to bright, also in grey and with every kind of colour blindness (after viridis by Smith and
/// van der Walt). share: 0 … 1.
QColor heatColor(double share);

/// One pixel row for each row and `widthPx` columns for the steps of `range`. A pixel shows the
/// greatest of its values, `invalid` if one of them is not finite, and nothing before the first
/// value of its row.
QImage heatImage(const std::vector<HeatRow>& rows, std::pair<std::int64_t, std::int64_t> range,
                 int widthPx, const HeatScale& scale, const QColor& invalid);

/// Index of the newest value of a row at or before the step.
std::optional<std::size_t> valueAt(const HeatRow& row, std::int64_t step);

}  // namespace lockstep::widgets
