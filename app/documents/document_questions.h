#pragma once

#include <QString>
#include <vector>

#include "widgets/jobs/awaited.h"

namespace lockstep::app {

/// Questions to the user. Each blocks until it is answered.
class DocumentQuestions {
 public:
  enum class Leaving { Save, Discard, Cancel };
  enum class Overwriting { Overwrite, Reload, SaveAs, Cancel };
  enum class Training { Save, Copy, Cancel };
  virtual ~DocumentQuestions() = default;
  /// `hasFile` false: the text is in no file, such as a copy of a run's configuration or a deleted
  /// file's.
  virtual Leaving beforeLeaving(const QString& name, bool hasFile) = 0;
  /// `difference`: lines in the file (−) and in the edited text (+).
  virtual Overwriting beforeOverwriting(const QString& name, const QString& difference) = 0;
  /// The file changed and cannot be read for this reason, so Reload is not offered.
  virtual Overwriting beforeOverwritingUnreadable(const QString& name, const QString& reason) = 0;
  /// `copyName`: name of the copy that can be trained instead; empty: there is no file to copy.
  virtual Training beforeTraining(const QString& name, const QString& copyName) = 0;
  /// Empty: canceled.
  virtual QString askSavePath(const QString& suggestedPath) = 0;
  /// The disk of this file does not answer. Returns once `answer` is reached, or when the user does
  /// not want to wait for it any longer.
  virtual void waitForDisk(const QString& path, const jobs::Ending& answer) = 0;
};

enum class AnswerKind {
  Default,  ///< chosen by Return
  Other,
  Destructive,  ///< loses data
};

/// Text and answers of a question. Cancel is always offered, too.
template <typename Answer>
struct DocumentQuestion {
  struct Choice {
    QString text;
    AnswerKind kind;
    Answer answer;
  };
  QString title, detail;
  QString quote;  ///< monospaced lines, such as a difference; empty: none
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
