#include "app/models/document_questions.h"

#include <QCoreApplication>

namespace lockstep::app {
namespace {

using Leaving = DocumentQuestions::Leaving;
using Overwriting = DocumentQuestions::Overwriting;
using Training = DocumentQuestions::Training;

QString tr(const char* text) { return QCoreApplication::translate("DocumentQuestions", text); }

}  // namespace

LeavingQuestion leavingQuestion(const QString& name, bool hasFile) {
  return {(hasFile ? tr("Save the changes to %1?") : tr("Save %1?")).arg(name),
          hasFile ? tr("Your changes are lost if you do not save them.")
                  : tr("This text is not saved in any file; it is lost if you do not save it."),
          {},
          {{tr("Save"), AnswerKind::Default, Leaving::Save},
           {tr("Discard"), AnswerKind::Destructive, Leaving::Discard}}};
}

OverwritingQuestion overwritingQuestion(const QString& name, const QString& difference) {
  return {tr("%1 changed on disk since it was opened").arg(name),
          tr("Lines in the file (−) and in your text (+):"),
          difference,
          {{tr("Save under another name…"), AnswerKind::Default, Overwriting::SaveAs},
           {tr("Reload"), AnswerKind::Other, Overwriting::Reload},
           {tr("Overwrite the file"), AnswerKind::Destructive, Overwriting::Overwrite}}};
}

OverwritingQuestion overwritingUnreadableQuestion(const QString& name, const QString& reason) {
  return {tr("%1 changed on disk and cannot be read").arg(name),
          tr("%1\nIts contents cannot be shown; overwriting it loses them.").arg(reason),
          {},
          {{tr("Save under another name…"), AnswerKind::Default, Overwriting::SaveAs},
           {tr("Overwrite the file"), AnswerKind::Destructive, Overwriting::Overwrite}}};
}

TrainingQuestion trainingQuestion(const QString& name, const QString& copyName) {
  if (copyName.isEmpty())
    return {tr("%1 is not saved yet").arg(name),
            tr("Training reads a file: save the text first."),
            {},
            {{tr("Save and train…"), AnswerKind::Default, Training::Save}}};
  return {tr("%1 has unsaved changes").arg(name),
          tr("Save it and train, or leave the file unchanged and train the edited text as %1?")
              .arg(copyName),
          {},
          {{tr("Save and train"), AnswerKind::Default, Training::Save},
           {tr("Train %1").arg(copyName), AnswerKind::Other, Training::Copy}}};
}

}  // namespace lockstep::app
