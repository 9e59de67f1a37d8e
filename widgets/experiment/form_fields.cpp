#include "widgets/experiment/form_fields.h"

#include <QFileInfo>
#include <algorithm>

#include "widgets/experiment/field_words.h"

namespace lockstep::widgets {

FieldState fieldState(const config::Field& field, const DocumentState& state, const QString& file) {
  FieldState shown;
  const auto given = state.given.find(field.key);
  shown.value.isGiven = given != state.given.end();
  shown.value.text = QString::fromStdString(
      shown.value.isGiven ? given->second.text : field.text(state.loaded.experiment));
  const auto origin = state.loaded.origins.find(field.key);
  if (!shown.value.isGiven && origin != state.loaded.origins.end() &&
      !origin->second.file.empty()) {
    const QString from = QString::fromStdString(origin->second.file);
    if (from != file) {
      shown.origin =
          QFileInfo(from).fileName() % QLatin1Char(':') % QString::number(origin->second.line);
    }
  }
  const auto error = std::find_if(
      state.issues.begin(), state.issues.end(),
      [&](const DocumentIssue& issue) { return issue.isError && issue.key == field.key; });
  if (error != state.issues.end()) {
    shown.error = QString::fromStdString(error->text);
    shown.value.hasError = true;
  }
  return shown;
}

bool matchesWords(const config::Field& field, const QStringList& words) {
  const QString all = QString::fromStdString(field.key) % QLatin1Char(' ') % labelOf(field.key) %
                      QLatin1Char(' ') % fieldHelpOf(field);
  return std::all_of(words.begin(), words.end(),
                     [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

std::vector<std::string> allSections() {
  // A section's own keys come before those of its sub-sections, whatever the order of the fields.
  std::vector<std::string> all;
  for (const std::string& top : config::sections()) {
    all.push_back(top);
    for (const config::Field& field : config::fields()) {
      const std::string section = sectionOf(field.key);
      const bool isInside = !top.empty() && section.starts_with(top + ".");
      if (isInside && std::find(all.begin(), all.end(), section) == all.end())
        all.push_back(section);
    }
  }
  return all;
}

std::map<std::string, SectionCounts> sectionCounts(const DocumentState& state) {
  std::map<std::string, SectionCounts> counts;
  for (const auto& [key, value] : state.given) ++counts[sectionOf(key)].given;
  for (const DocumentIssue& issue : state.issues)
    if (issue.isError)
      ++counts[config::isSection(issue.key) ? issue.key : sectionOf(issue.key)].errors;
  return counts;
}

}  // namespace lockstep::widgets
