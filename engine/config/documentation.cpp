#include "engine/config/documentation.h"

#include "engine/config/fields.h"

namespace lockstep::config {
namespace {

/// Text that stands in a cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char character : text) {
    if (character == '|') escaped += '\\';
    escaped += character;
  }
  return escaped;
}

/// Names the values that are refused so far, or "".
std::string notBuiltText(const Field& field) {
  if (!field.isBuilt) return {};
  std::string list;
  for (const std::string& choice : field.choices) {
    Experiment experiment;
    if (!field.assign(experiment, choice).empty() || field.isBuilt(experiment)) continue;
    list += (list.empty() ? "" : ", ") + choice;
  }
  const bool isSomeBuilt = field.type == FieldType::Choice && !list.empty();
  return isSomeBuilt ? " Not built yet: " + list + "." : " Only the default is built yet.";
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
  return "| `" + name + "` | " + cell(values) + " | `" + cell(field.defaultText()) + "` | " +
         cell(field.help + notBuiltText(field)) + " |\n";
}

}  // namespace

std::string docsMarkdown() {
  std::string text =
      "# The experiment file\n\n"
      "YAML; every key is optional. Paths are relative to the file that names them. Lengths of "
      "training "
      "are steps (`200`), `12 epochs` or `20000 images`. `base:` names a file to inherit from, "
      "and `--set solver.max_steps=200` overrides a key.\n";
  std::string open = "none yet";
  for (const Field& field : fields()) {
    const std::size_t dot = field.key.rfind('.');
    const std::string section = dot == std::string::npos ? "" : field.key.substr(0, dot);
    if (section != open) {
      text += "\n## " + (section.empty() ? "Top level" : "`" + section + "`") + "\n\n" +
              sectionHelp(section) + "\n\n| key | value | default | meaning |\n|---|---|---|---|\n";
      open = section;
    }
    text += rowOf(field);
  }
  return text;
}

}  // namespace lockstep::config
