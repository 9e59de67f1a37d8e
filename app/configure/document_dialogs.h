#pragma once

#include "app/documents/document_questions.h"

class QWidget;

namespace lockstep::app {

/// Asks in modal dialogs. Escape and closing the dialog mean Cancel.
class DocumentDialogs : public DocumentQuestions {
 public:
  explicit DocumentDialogs(QWidget* parent) : parent_(parent) {}

  Leaving beforeLeaving(const QString& name, bool hasFile) override;
  Overwriting beforeOverwriting(const QString& name, const QString& difference) override;
  Overwriting beforeOverwritingUnreadable(const QString& name, const QString& reason) override;
  Training beforeTraining(const QString& name, const QString& copyName) override;
  QString askSavePath(const QString& suggestedPath) override;
  void waitForDisk(const QString& path, const jobs::Ending& answer) override;

 private:
  template <typename Answer>
  Answer ask(const DocumentQuestion<Answer>& question) const;

  QWidget* parent_;
};

}  // namespace lockstep::app
