#include "engine/config/documentation.h"

#include <algorithm>

#include "engine/config/fields.h"

namespace lockstep::config {
namespace {

/// Escaped for a cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char character : text) {
    if (character == '|') escaped += '\\';
    escaped += character;
  }
  return escaped;
}

std::string sectionOf(const Field& field) {
  const std::size_t dot = field.key.rfind('.');
  return dot == std::string::npos ? "" : field.key.substr(0, dot);
}

/// Sections and sub-sections that have keys of their own, in the order of the fields.
std::vector<std::string> allSections() {
  std::vector<std::string> sections;
  for (const Field& field : fields()) {
    std::string section = sectionOf(field);
    if (std::find(sections.begin(), sections.end(), section) == sections.end()) {
      sections.push_back(std::move(section));
    }
  }
  return sections;
}

std::string rowOf(const Field& field) {
  std::string values = field.typeText();
  const std::string range = field.rangeText();
  if (!range.empty()) values += ", " + range;
  if (!field.unit.empty() && field.type != FieldType::Duration &&
      field.type != FieldType::DurationList) {
    values += " (" + field.unit + ")";
  }
  const std::string name = field.key.substr(field.key.rfind('.') + 1);
  const std::string notImplemented = field.notImplementedText();
  return "| `" + name + "` | " + cell(values) + " | `" + cell(field.defaultText()) + "` | " +
         cell(field.help + (notImplemented.empty() ? "" : " ") + notImplemented) + " |\n";
}

}  // namespace

std::string docsMarkdown() {
  std::string text =
      "# The experiment file\n\n"
      "YAML; every key is optional. Paths are relative to the file that names them; ~ is the home "
      "folder. Durations are steps (`200`), `12 epochs` or `20000 images`. `base:` names a file to "
      "inherit from, and `--set solver.max_steps=200` overrides a key.\n";
  for (const std::string& section : allSections()) {
    text += "\n## " + (section.empty() ? "Top level" : "`" + section + "`") + "\n\n" +
            sectionHelp(section) + "\n\n| key | value | default | meaning |\n|---|---|---|---|\n";
    for (const Field& field : fields()) {
      if (sectionOf(field) == section) text += rowOf(field);
    }
  }
  return text;
}

}  // namespace lockstep::config
