#include "app/documents/document_questions.h"

#include <QCoreApplication>

namespace lockstep::app {
namespace {

using Leaving = DocumentQuestions::Leaving;
using Overwriting = DocumentQuestions::Overwriting;
using Training = DocumentQuestions::Training;

struct QuestionText {
  Q_DECLARE_TR_FUNCTIONS(DocumentQuestions)
};

}  // namespace

LeavingQuestion leavingQuestion(const QString& name, bool hasFile) {
  return {(hasFile ? QuestionText::tr("Save the changes to %1?") : QuestionText::tr("Save %1?"))
              .arg(name),
          hasFile ? QuestionText::tr("Your changes are lost if you do not save them.")
                  : QuestionText::tr(
                        "This text is not saved in any file; it is lost if you do not save it."),
          {},
          {{QuestionText::tr("Save"), AnswerKind::Default, Leaving::Save},
           {QuestionText::tr("Discard"), AnswerKind::Destructive, Leaving::Discard}}};
}

OverwritingQuestion overwritingQuestion(const QString& name, const QString& difference) {
  return {
      QuestionText::tr("%1 changed on disk since it was opened").arg(name),
      QuestionText::tr("Lines in the file (−) and in your text (+):"),
      difference,
      {{QuestionText::tr("Save under another name…"), AnswerKind::Default, Overwriting::SaveAs},
       {QuestionText::tr("Reload"), AnswerKind::Other, Overwriting::Reload},
       {QuestionText::tr("Overwrite the file"), AnswerKind::Destructive, Overwriting::Overwrite}}};
}

OverwritingQuestion overwritingUnreadableQuestion(const QString& name, const QString& reason) {
  return {
      QuestionText::tr("%1 changed on disk and cannot be read").arg(name),
      QuestionText::tr("%1\nIts contents cannot be shown; overwriting it loses them.").arg(reason),
      {},
      {{QuestionText::tr("Save under another name…"), AnswerKind::Default, Overwriting::SaveAs},
       {QuestionText::tr("Overwrite the file"), AnswerKind::Destructive, Overwriting::Overwrite}}};
}

TrainingQuestion trainingQuestion(const QString& name, const QString& copyName) {
  if (copyName.isEmpty())
    return {QuestionText::tr("%1 is not saved yet").arg(name),
            QuestionText::tr("Training reads a file: save the text first."),
            {},
            {{QuestionText::tr("Save and train…"), AnswerKind::Default, Training::Save}}};
  return {QuestionText::tr("%1 has unsaved changes").arg(name),
          QuestionText::tr(
              "Save it and train, or leave the file unchanged and train the edited text as %1?")
              .arg(copyName),
          {},
          {{QuestionText::tr("Save and train"), AnswerKind::Default, Training::Save},
           {QuestionText::tr("Train %1").arg(copyName), AnswerKind::Other, Training::Copy}}};
}

}  // namespace lockstep::app
