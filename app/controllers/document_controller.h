#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <optional>

#include "app/controllers/document_draft.h"
#include "app/controllers/experiment_file.h"
#include "app/models/document_notice.h"
#include "app/models/document_questions.h"

namespace lockstep::app {

/// The open experiment: its file, its draft, and that nothing typed is lost. What is edited here is
/// kept as a draft until it is saved or given up; nothing is overwritten that was not seen.
class DocumentController : public QObject {
  Q_OBJECT

 public:
  /// `text` gives the text as it is edited now. `draftFolder` empty: no drafts.
  DocumentController(std::function<QString()> text, DocumentQuestions* questions,
                     const QString& draftFolder, QObject* parent = nullptr);

  bool hasDocument() const { return hasDocument_; }
  /// Where the document stands, or may be saved.
  QString path() const { return path_; }
  QString name() const;
  /// The text would be lost with this window.
  bool isUnsaved() const;
  /// It stands in a file that is there.
  bool hasFile() const;
  const DocumentNotice& notice() const { return notice_; }

  /// Asks about unsaved edits first; false: the document stays. A run's own record is opened as a
  /// copy.
  bool open(const QString& path);
  bool openCopyOfRun(const QString& runFolder);
  /// Drafts that can be opened, the last edited first.
  QList<OrphanedDraft> orphanedDrafts() const { return draft_.folder().orphaned(); }
  bool openDraft(const QString& id);
  /// Says that drafts wait, where some do.
  void announceDrafts();

  /// False when it was not saved: refused, or given up by the person.
  bool save();
  bool saveAs();
  /// The file to train from, which holds what is shown; empty: not now. Asks once when something is
  /// edited.
  QString fileToTrain();
  /// Asks about unsaved edits. True: the document is left, edits that were not saved are given up.
  bool close();
  /// The session ends: nobody can be asked. Returns once the draft is on disk.
  void keepDraft();

 public Q_SLOTS:
  /// The text was edited.
  void markEdited();
  /// Looks whether the file has changed.
  void checkFile();
  /// Does what the notice offers; takes it away.
  void acceptNotice();
  void dismissNotice();

 Q_SIGNALS:
  /// Another document, as its file has it.
  void opened(const QString& text, const QString& path);
  /// The text is to be this one, as one change that can be undone.
  void textReplaced(const QString& text);
  /// What is shown now stands in the file `path`.
  void saved(const QString& path);
  /// isUnsaved(), hasFile() or path() may differ.
  void stateChanged();
  void noticeChanged();
  void failed(const QString& title, const QString& detail);

 private:
  void show(const QString& text, const QString& path, bool isFile, const QString& recordOfRun);
  void restoreDraft(const OrphanedDraft& left);
  bool maybeSave();
  bool isInConflict() const;
  DocumentQuestions::Overwriting askBeforeOverwriting();
  void reloadInConflict();
  bool writeTo(const QString& path, const QString& text);
  void markSaved(const QString& path, const QString& text);
  QString trainCopy();
  void reload(const QString& text);
  void handleFileChange();
  void discardDraft();
  std::optional<Draft> unsavedDraft() const;
  void showNotice(DocumentNotice notice);
  void clearNotice(DocumentNotice::Kind kind);
  void clearDocumentNotice();

  std::function<QString()> text_;
  DocumentQuestions* questions_;
  ExperimentFile file_;
  DocumentNotice notice_;
  QString path_;
  QString base_;         ///< text of a document without a file before it was edited
  QString recordOfRun_;  ///< config.yaml of the run that a document without a file is a copy of
  bool hasDocument_ = false;
  DocumentDraft draft_;  ///< the last: what it writes when it is destroyed comes from the others
};

}  // namespace lockstep::app
