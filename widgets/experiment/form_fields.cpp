#include "widgets/experiment/form_fields.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "widgets/experiment/field_words.h"

namespace lockstep::widgets {
namespace {

/// In the order of the form within their section.
constexpr std::array<std::string_view, 24> kCommonKeys{
    "name",
    "base",
    "dataset.train.images",
    "dataset.train.annotations",
    "dataset.val.images",
    "dataset.val.annotations",
    "solver.max_steps",
    "solver.batch_size",
    "solver.base_lr",
    "solver.schedule",
    "solver.warmup_steps",
    "model.backbone",
    "model.weights",
    "model.masks",
    "model.anchors.sizes",
    "augment.min_size",
    "augment.max_size",
    "augment.horizontal_flip",
    "evaluation.loss_every",
    "evaluation.ap_every",
    "checkpoint.every",
    "monitor.predictions_every",
    "runtime.device",
    "runtime.precision",
};
/// The sections that the form begins with; the others follow in the order of the file.
const std::vector<std::string> kFirstSections{"", "dataset", "solver", "model"};

auto commonPlace(const std::string& key) {
  return std::find(kCommonKeys.begin(), kCommonKeys.end(), key);
}

/// An inherited file that is no experiment is the fault of the key that names it.
bool concerns(const DocumentIssue& issue, const std::string& key) {
  return issue.key == key || (key == "base" && !issue.isHere && issue.key.empty());
}

std::vector<std::string> topSections() {
  std::vector<std::string> tops = kFirstSections;
  for (const std::string& top : config::sections())
    if (std::find(tops.begin(), tops.end(), top) == tops.end()) tops.push_back(top);
  return tops;
}

}  // namespace

FieldState fieldState(const config::Field& field, const DocumentState& state, const QString& file) {
  FieldState shown;
  const auto given = state.given.find(field.key);
  shown.value.isGiven = given != state.given.end();
  shown.value.text = QString::fromStdString(
      shown.value.isGiven ? given->second.text : field.text(state.loaded.experiment));
  const auto origin = state.loaded.origins.find(field.key);
  if (!shown.value.isGiven && origin != state.loaded.origins.end() &&
      !origin->second.file.empty()) {
    if (origin->second.file != file.toStdString())
      shown.origin = QString::fromStdString(placeText(origin->second, file.toStdString()));
  }
  if (shown.value.isGiven) {
    shown.replaced = QString::fromStdString(given->second.inherited);
    shown.replacedFrom = QString::fromStdString(given->second.inheritedFrom);
    shown.repeats = given->second.repeats;
  }
  const auto error = std::find_if(
      state.issues.begin(), state.issues.end(),
      [&](const DocumentIssue& issue) { return issue.isError && concerns(issue, field.key); });
  if (error != state.issues.end()) {
    const std::string place = error->isHere ? "" : error->position + ": ";
    shown.error = QString::fromStdString(place + error->text);
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
  for (const std::string& top : topSections()) {
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

bool isCommon(const std::string& key) { return commonPlace(key) != kCommonKeys.end(); }

std::vector<const config::Field*> fieldsOf(const std::string& section) {
  std::vector<const config::Field*> all;
  for (const config::Field& field : config::fields())
    if (sectionOf(field.key) == section) all.push_back(&field);
  std::stable_sort(all.begin(), all.end(), [](const auto* left, const auto* right) {
    return commonPlace(left->key) < commonPlace(right->key);
  });
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
