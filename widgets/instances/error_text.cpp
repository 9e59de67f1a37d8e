#include "widgets/instances/error_text.h"

#include <QCoreApplication>

namespace lockstep::widgets {

ErrorText errorText(coco::ErrorType type) {
  const auto index = static_cast<std::size_t>(type);
  const coco::ErrorTypeWords& words = coco::kErrorTypeWords.at(index);
  return {QString::fromLatin1(coco::kErrorTypeNames.at(index)),
          QCoreApplication::translate("ErrorText", words.name),
          QCoreApplication::translate("ErrorText", words.sentence)};
}

}  // namespace lockstep::widgets
