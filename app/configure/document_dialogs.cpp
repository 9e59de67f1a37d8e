#include "app/configure/document_dialogs.h"

#include <QFileDialog>

#include "widgets/question_dialog.h"

namespace lockstep::app {

using widgets::QuestionDialog;

namespace {

/// `canTake`: the file has a text that can be taken.
DocumentQuestions::Overwriting askWhetherToOverwrite(QuestionDialog* dialog, bool canTake) {
  using Overwriting = DocumentQuestions::Overwriting;
  const int elsewhere =
      dialog->addAnswer(QObject::tr("Save under another name…"), QuestionDialog::Kind::Usual);
  const int reload =
      canTake ? dialog->addAnswer(QObject::tr("Take the file's text"), QuestionDialog::Kind::Other)
              : QuestionDialog::kCancel;
  const int overwrite =
      dialog->addAnswer(QObject::tr("Overwrite the file"), QuestionDialog::Kind::Destructive);
  dialog->addCancel();
  const int answer = dialog->ask();
  if (answer == QuestionDialog::kCancel) return Overwriting::Cancel;
  return answer == elsewhere   ? Overwriting::SaveElsewhere
         : answer == reload    ? Overwriting::Reload
         : answer == overwrite ? Overwriting::Overwrite
                               : Overwriting::Cancel;
}

}  // namespace

DocumentQuestions::Leaving DocumentDialogs::beforeLeaving(const QString& name, bool hasFile) {
  QuestionDialog dialog(hasFile ? QObject::tr("Save the changes to %1?").arg(name)
                                : QObject::tr("Save %1?").arg(name),
                        hasFile
                            ? QObject::tr("Without saving, they are lost.")
                            : QObject::tr("This text is in no file; without saving, it is lost."),
                        parent_);
  const int save = dialog.addAnswer(QObject::tr("Save"), QuestionDialog::Kind::Usual);
  const int discard = dialog.addAnswer(QObject::tr("Discard"), QuestionDialog::Kind::Destructive);
  dialog.addCancel();
  const int answer = dialog.ask();
  return answer == save ? Leaving::Save : answer == discard ? Leaving::Discard : Leaving::Cancel;
}

DocumentQuestions::Overwriting DocumentDialogs::beforeOverwriting(const QString& name,
                                                                  const QString& difference) {
  QuestionDialog dialog(QObject::tr("%1 changed on disk since it was read").arg(name),
                        QObject::tr("Lines of the file (−) and of the text here (+):"), parent_);
  dialog.setQuote(difference);
  return askWhetherToOverwrite(&dialog, /*canTake=*/true);
}

DocumentQuestions::Overwriting DocumentDialogs::beforeOverwritingUnreadable(const QString& name,
                                                                            const QString& reason) {
  QuestionDialog dialog(
      QObject::tr("%1 changed on disk and cannot be read").arg(name),
      QObject::tr("%1\nWhat it holds now cannot be shown; to overwrite it is to lose it.")
          .arg(reason),
      parent_);
  return askWhetherToOverwrite(&dialog, /*canTake=*/false);
}

DocumentQuestions::Training DocumentDialogs::beforeTraining(const QString& name,
                                                            const QString& copyName) {
  const QString detail =
      copyName.isEmpty()
          ? QObject::tr("A run is trained from a file: the text is saved first.")
          : QObject::tr("Save it and train, or leave the file as it is and train the text as %1?")
                .arg(copyName);
  QuestionDialog dialog(copyName.isEmpty() ? QObject::tr("%1 is in no file").arg(name)
                                           : QObject::tr("%1 has unsaved changes").arg(name),
                        detail, parent_);
  const int save = dialog.addAnswer(
      copyName.isEmpty() ? QObject::tr("Save and train…") : QObject::tr("Save and train"),
      QuestionDialog::Kind::Usual);
  const int copy = copyName.isEmpty() ? QuestionDialog::kCancel
                                      : dialog.addAnswer(QObject::tr("Train %1").arg(copyName),
                                                         QuestionDialog::Kind::Other);
  dialog.addCancel();
  const int answer = dialog.ask();
  if (answer == save) return Training::Save;
  return answer != QuestionDialog::kCancel && answer == copy ? Training::Copy : Training::Cancel;
}

QString DocumentDialogs::whereToSave(const QString& proposal) {
  QFileDialog dialog(parent_, QObject::tr("Save experiment"), {},
                     QObject::tr("Experiments (*.yaml *.yml)"));
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setDefaultSuffix(QStringLiteral("yaml"));
  dialog.selectFile(proposal);
  if (dialog.exec() != QDialog::Accepted || dialog.selectedFiles().isEmpty()) return {};
  return dialog.selectedFiles().front();
}

}  // namespace lockstep::app
