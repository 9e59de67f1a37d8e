#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/enum_text.h"

namespace lockstep::cli {

enum class TableFormat { Text, Csv, Markdown, Json };
constexpr auto enumTexts(TableFormat) {
  using enum TableFormat;
  return std::to_array<base::EnumText<TableFormat>>(
      {{Text, "text"}, {Csv, "csv"}, {Markdown, "markdown"}, {Json, "json"}});
}

/// A value, and its text for people.
struct TableCell {
  using Texts = std::vector<std::string>;
  /// monostate: none
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Texts> value;
  std::string shown = "-";

  TableCell() = default;
  TableCell(std::string text) : value(text), shown(std::move(text)) {}
  explicit TableCell(bool flag) : value(flag), shown(flag ? "yes" : "-") {}
  explicit TableCell(Texts texts);
  TableCell(std::int64_t number) : value(number), shown(std::to_string(number)) {}
  TableCell(double number, std::string text) : value(number), shown(std::move(text)) {}
};

struct TableColumn {
  std::string key;      ///< in CSV and JSON
  std::string heading;  ///< for people; empty: not shown to them
};

/// Rows have a cell for each column.
struct DataTable {
  std::vector<TableColumn> columns;
  std::vector<std::vector<TableCell>> rows;
};

/// Text and Markdown have what is shown to people, CSV and JSON (a list of objects) all values; CSV
/// has lists as they are shown.
std::string formatTable(const DataTable& table, TableFormat format);

}  // namespace lockstep::cli
