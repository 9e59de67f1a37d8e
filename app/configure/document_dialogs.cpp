#include "app/configure/document_dialogs.h"

#include <QFileDialog>
#include <QFileInfo>

#include "widgets/question_dialog.h"

namespace lockstep::app {
namespace {

using widgets::QuestionDialog;

QuestionDialog::Kind buttonOf(AnswerKind kind) {
  return kind == AnswerKind::Default       ? QuestionDialog::Kind::Default
         : kind == AnswerKind::Destructive ? QuestionDialog::Kind::Destructive
                                           : QuestionDialog::Kind::Other;
}

}  // namespace

template <typename Answer>
Answer DocumentDialogs::ask(const DocumentQuestion<Answer>& question) const {
  QuestionDialog dialog(question.title, question.detail, parent_);
  if (!question.quote.isEmpty()) dialog.setQuote(question.quote);
  for (const auto& choice : question.choices) dialog.addAnswer(choice.text, buttonOf(choice.kind));
  dialog.addCancel();
  const int answer = dialog.ask();  // from 1
  return answer == QuestionDialog::kCancel
             ? Answer::Cancel
             : question.choices[static_cast<std::size_t>(answer) - 1].answer;
}

DocumentQuestions::Leaving DocumentDialogs::beforeLeaving(const QString& name, bool hasFile) {
  return ask(leavingQuestion(name, hasFile));
}

DocumentQuestions::Overwriting DocumentDialogs::beforeOverwriting(const QString& name,
                                                                  const QString& difference) {
  return ask(overwritingQuestion(name, difference));
}

DocumentQuestions::Overwriting DocumentDialogs::beforeOverwritingUnreadable(const QString& name,
                                                                            const QString& reason) {
  return ask(overwritingUnreadableQuestion(name, reason));
}

DocumentQuestions::Training DocumentDialogs::beforeTraining(const QString& name,
                                                            const QString& copyName) {
  return ask(trainingQuestion(name, copyName));
}

QString DocumentDialogs::askSavePath(const QString& suggestedPath) {
  QFileDialog dialog(parent_, QObject::tr("Save experiment"), {},
                     QObject::tr("Experiments (*.yaml *.yml)"));
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setDefaultSuffix(QStringLiteral("yaml"));
  const QFileInfo suggested(suggestedPath);
  dialog.setDirectory(jobs::folderToBeginWith(suggested.path()));
  dialog.selectFile(suggested.fileName());
  if (dialog.exec() != QDialog::Accepted || dialog.selectedFiles().isEmpty()) return {};
  return dialog.selectedFiles().front();
}

void DocumentDialogs::waitForDisk(const QString& path, const jobs::Ending& answer) {
  QuestionDialog dialog(QObject::tr("Waiting for a disk that does not answer"), path, parent_);
  dialog.addAnswer(QObject::tr("Stop waiting"), QuestionDialog::Kind::Default);
  answer.then(&dialog, [&dialog] { dialog.accept(); });
  dialog.ask();
}

}  // namespace lockstep::app
