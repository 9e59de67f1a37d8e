#include "engine/cli/data_table.h"

#include <algorithm>
#include <utility>

#include "engine/base/csv_text.h"
#include "engine/base/json_writer.h"
#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/base/utf8.h"

namespace lockstep::cli {
namespace {

/// Headings and cells of the columns that are shown to people.
std::vector<std::vector<std::string>> shownRows(const DataTable& table) {
  std::vector<std::vector<std::string>> rows(table.rows.size() + 1);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].heading.empty()) continue;
    rows[0].push_back(table.columns[c].heading);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      rows[r + 1].push_back(base::printable(table.rows[r][c].shown));
    }
  }
  return rows;
}

std::string plainText(const DataTable& table) {
  const auto rows = shownRows(table);
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], base::utf8Length(row[c]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += row[c];
      if (c + 1 < row.size()) line.append(widths[c] - base::utf8Length(row[c]) + 2, ' ');
    }
    text += line + "\n";
  }
  return text;
}

std::string markdown(const DataTable& table) {
  std::string text;
  bool isHeading = true;
  for (const auto& row : shownRows(table)) {
    text += "|";
    for (std::string cell : row) {
      for (std::size_t at = 0; (at = cell.find('|', at)) != std::string::npos; at += 2)
        cell.insert(at, "\\");
      text += " " + cell + " |";
    }
    text += "\n";
    if (std::exchange(isHeading, false)) {
      text += "|";
      for (std::size_t c = 0; c < row.size(); ++c) text += "---|";
      text += "\n";
    }
  }
  return text;
}

std::string csvValue(const TableCell& cell) {
  if (const auto* number = std::get_if<double>(&cell.value)) return base::shortestNumber(*number);
  if (const auto* whole = std::get_if<std::int64_t>(&cell.value)) return std::to_string(*whole);
  if (const auto* flag = std::get_if<bool>(&cell.value)) return *flag ? "true" : "false";
  if (const auto* texts = std::get_if<TableCell::Texts>(&cell.value))
    return texts->empty() ? "" : base::csvText(cell.shown);
  const auto* text = std::get_if<std::string>(&cell.value);
  return text == nullptr ? "" : base::csvText(*text);
}

std::string csv(const DataTable& table) {
  std::string text;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    text += (c > 0 ? "," : "") + table.columns[c].key;
  text += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) text += (c > 0 ? "," : "") + csvValue(row[c]);
    text += "\n";
  }
  return text;
}

std::string json(const DataTable& table) {
  std::string text = "[";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    text += r > 0 ? ",\n " : "\n ";
    base::JsonWriter writer(text);
    writer.beginObject();
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      writer.key(table.columns[c].key);
      std::visit(
          [&writer](const auto& value) {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, std::monostate>)
              writer.null();
            else if constexpr (std::is_same_v<Value, TableCell::Texts>)
              writer.values(value);
            else
              writer.value(value);
          },
          table.rows[r][c].value);
    }
    writer.endObject();
  }
  return text + (table.rows.empty() ? "]\n" : "\n]\n");
}

}  // namespace

TableCell::TableCell(Texts texts) {
  if (!texts.empty()) shown.clear();
  for (const std::string& text : texts) shown += (shown.empty() ? "" : ", ") + text;
  value = std::move(texts);
}

std::string formatTable(const DataTable& table, TableFormat format) {
  switch (format) {
    case TableFormat::Text:
      return plainText(table);
    case TableFormat::Csv:
      return csv(table);
    case TableFormat::Markdown:
      return markdown(table);
    case TableFormat::Json:
      return json(table);
  }
  return {};
}

}  // namespace lockstep::cli
