#include "widgets/experiment/checked_document.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>

namespace lockstep::widgets {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("ConfigEditor", text); }

bool isError(const DocumentFault& fault) { return fault.isError; }

bool hasFaultErrors(const DocumentState& state) {
  return std::any_of(state.faults.begin(), state.faults.end(), isError);
}

}  // namespace

void CheckedDocument::take(std::shared_ptr<const DocumentState> checked) {
  state_ = std::move(checked);
  if (state_->isReadable) readable_ = state_;
  if (!state_->loaded.hasErrors()) {
    sound_ = state_;
  } else if (sound_ && hasFaultErrors(*sound_)) {  // it lacked its data
    sound_.reset();
  }
}

int CheckedDocument::errorCount() const {
  return static_cast<int>(std::count_if(state_->faults.begin(), state_->faults.end(), isError));
}

std::size_t CheckedDocument::firstErrorIndex() const {
  const std::vector<DocumentFault>& faults = state_->faults;
  return static_cast<std::size_t>(std::find_if(faults.begin(), faults.end(), isError) -
                                  faults.begin());
}

QString CheckedDocument::firstError() const {
  const std::size_t first = firstErrorIndex();
  if (first == state_->faults.size()) return {};
  const DocumentFault& fault = state_->faults[first];
  const QString key = QString::fromStdString(fault.key);
  return key % (key.isEmpty() ? QString() : QStringLiteral(": ")) %
         QString::fromStdString(fault.text);
}

QString CheckedDocument::whyUnreadable() const {
  if (state_->isReadable) return {};
  const int line = state_->faults.empty() ? 0 : state_->faults.front().line;
  return (line == 0 ? tr("The text is not valid YAML.")
                    : tr("The text is not valid YAML from line %1 on.").arg(line)) %
         QLatin1Char(' ') %
         (hasValues() ? tr("These are the last valid values; fix the line to edit them.")
                      : tr("Fix the line to see its values."));
}

}  // namespace lockstep::widgets
