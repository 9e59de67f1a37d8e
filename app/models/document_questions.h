#pragma once

#include <QString>
#include <vector>

namespace lockstep::app {

/// What only a person can decide. Each waits for the answer.
class DocumentQuestions {
 public:
  enum class Leaving { Save, Discard, Cancel };
  enum class Overwriting { Overwrite, Reload, SaveAs, Cancel };
  enum class Training { Save, Copy, Cancel };
  virtual ~DocumentQuestions() = default;
  /// `hasFile` false: it is in no file, as a copy of a run's configuration or of one that was
  /// deleted.
  virtual Leaving beforeLeaving(const QString& name, bool hasFile) = 0;
  /// `difference`: lines of the file (−) and of the text here (+).
  virtual Overwriting beforeOverwriting(const QString& name, const QString& difference) = 0;
  /// The file changed and cannot be read, for this reason: there is no text to take (no Reload).
  virtual Overwriting beforeOverwritingUnreadable(const QString& name, const QString& reason) = 0;
  /// `copyName` empty: it is in no file, so there is none to train a copy beside.
  virtual Training beforeTraining(const QString& name, const QString& copyName) = 0;
  /// Empty: nowhere.
  virtual QString whereToSave(const QString& proposal) = 0;
};

enum class AnswerKind {
  Usual,  ///< Return gives it
  Other,
  Destructive,  ///< something is lost
};

/// A question as it is asked. Cancel is offered beside the answers.
template <typename Answer>
struct DocumentQuestion {
  struct Choice {
    QString text;
    AnswerKind kind;
    Answer answer;
  };
  QString title, detail;
  QString quote;  ///< lines to look at before answering; empty: none
  std::vector<Choice> choices;
};

using LeavingQuestion = DocumentQuestion<DocumentQuestions::Leaving>;
using OverwritingQuestion = DocumentQuestion<DocumentQuestions::Overwriting>;
using TrainingQuestion = DocumentQuestion<DocumentQuestions::Training>;

LeavingQuestion leavingQuestion(const QString& name, bool hasFile);
OverwritingQuestion overwritingQuestion(const QString& name, const QString& difference);
OverwritingQuestion overwritingUnreadableQuestion(const QString& name, const QString& reason);
TrainingQuestion trainingQuestion(const QString& name, const QString& copyName);

}  // namespace lockstep::app
