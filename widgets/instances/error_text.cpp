#include "widgets/instances/error_text.h"

#include <QCoreApplication>
#include <array>

namespace lockstep::widgets {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("ErrorText", text); }

struct Row {
  const char *name, *sentence;
};

/// In the order of coco::ErrorType.
constexpr std::array<Row, coco::kErrorTypeCount> kRows{{
    {QT_TRANSLATE_NOOP("ErrorText", "wrong class"),
     QT_TRANSLATE_NOOP("ErrorText", "On an object, but as another class")},
    {QT_TRANSLATE_NOOP("ErrorText", "wrong place"),
     QT_TRANSLATE_NOOP("ErrorText", "The class is right, but the IoU with the object is too low")},
    {QT_TRANSLATE_NOOP("ErrorText", "both wrong"),
     QT_TRANSLATE_NOOP("ErrorText", "Another class, and the IoU with the object is too low")},
    {QT_TRANSLATE_NOOP("ErrorText", "duplicate"),
     QT_TRANSLATE_NOOP("ErrorText", "The object is already found by a detection of higher score")},
    {QT_TRANSLATE_NOOP("ErrorText", "background"), QT_TRANSLATE_NOOP("ErrorText", "On no object")},
    {QT_TRANSLATE_NOOP("ErrorText", "missed"),
     QT_TRANSLATE_NOOP("ErrorText", "An object that no detection, right or wrong, stands for")},
}};

}  // namespace

ErrorText errorText(coco::ErrorType type) {
  const auto index = static_cast<std::size_t>(type);
  return {QString::fromLatin1(coco::kErrorTypeNames.at(index)), tr(kRows.at(index).name),
          tr(kRows.at(index).sentence)};
}

}  // namespace lockstep::widgets
