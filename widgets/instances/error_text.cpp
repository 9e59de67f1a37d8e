#include "widgets/instances/error_text.h"

#include <QCoreApplication>

namespace lockstep::widgets {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("ErrorText", text); }

}  // namespace

ErrorText errorText(coco::ErrorType type) {
  const auto index = static_cast<std::size_t>(type);
  const coco::ErrorTypeWords& words = coco::kErrorTypeWords.at(index);
  return {QString::fromLatin1(coco::kErrorTypeNames.at(index)), tr(words.name), tr(words.sentence)};
}

}  // namespace lockstep::widgets
