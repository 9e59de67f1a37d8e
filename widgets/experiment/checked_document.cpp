#include "widgets/experiment/checked_document.h"

#include <algorithm>
#include <utility>

namespace lockstep::widgets {
namespace {

bool isError(const DocumentIssue& issue) { return issue.isError && !issue.isFound; }

bool hasErrors(const DocumentState& state) {
  return std::any_of(state.issues.begin(), state.issues.end(), isError);
}

}  // namespace

void CheckedDocument::update(std::shared_ptr<const DocumentState> checked) {
  state_ = std::move(checked);
  if (state_->isReadable) readable_ = state_;
  if (!state_->loaded.hasErrors()) {
    valid_ = state_;
  } else if (valid_ && hasErrors(*valid_)) {  // its data were missing
    valid_.reset();
  }
}

int CheckedDocument::errorCount() const {
  return static_cast<int>(std::count_if(state_->issues.begin(), state_->issues.end(), isError));
}

std::size_t CheckedDocument::firstErrorIndex() const {
  const std::vector<DocumentIssue>& issues = state_->issues;
  return static_cast<std::size_t>(std::find_if(issues.begin(), issues.end(), isError) -
                                  issues.begin());
}

QString CheckedDocument::firstError() const {
  const std::size_t first = firstErrorIndex();
  if (first == state_->issues.size()) return {};
  const DocumentIssue& issue = state_->issues[first];
  const QString key = QString::fromStdString(issue.key);
  return key % (key.isEmpty() ? QString() : QStringLiteral(": ")) %
         QString::fromStdString(issue.text);
}

QString CheckedDocument::unreadableReason() const {
  if (state_->isReadable) return {};
  const int line = state_->issues.empty() ? 0 : state_->issues.front().line;
  const QString problem = state_->isOtherYaml
                              ? tr("This text is not an experiment: see line %1.").arg(line)
                          : line == 0 ? tr("The text is not valid YAML.")
                                      : tr("The text is not valid YAML from line %1 on.").arg(line);
  return problem % QLatin1Char(' ') %
         (hasValues() ? tr("These are the last valid values; fix the line to edit them.")
                      : tr("Fix the line to see its values."));
}

}  // namespace lockstep::widgets
