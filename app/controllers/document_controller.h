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

/// The open experiment with its file and its draft. Edits are backed up as a draft until they are
/// saved or discarded. A file that changed on disk is not overwritten without asking.
class DocumentController : public QObject {
  Q_OBJECT

 public:
  /// `text`: returns the edited text. `draftFolder` empty: no drafts.
  DocumentController(std::function<QString()> text, DocumentQuestions* questions,
                     const QString& draftFolder, QObject* parent = nullptr);

  bool hasDocument() const { return hasDocument_; }
  /// Path of the document's file, or the suggested one if it has no file.
  QString path() const { return path_; }
  QString name() const;
  /// The text would be lost if the window closed now.
  bool isUnsaved() const;
  /// It has a file, which exists.
  bool hasFile() const;
  const DocumentNotice& notice() const { return notice_; }

  /// Asks about unsaved edits first; false: the current document stays open. A run's config.yaml is
  /// opened as a copy.
  bool open(const QString& path);
  bool openCopyOfRun(const QString& runFolder);
  /// Drafts that can be opened, newest first.
  QList<OrphanedDraft> orphanedDrafts() const { return draft_.folder().orphaned(); }
  bool openDraft(const QString& id);
  /// Shows a notice if there are drafts to restore.
  void announceDrafts();

  /// False when it was not saved: the write failed, or the user canceled.
  bool save();
  bool saveAs();
  /// The file to train, with the text that is shown; empty: canceled. Asks if there are unsaved
  /// edits.
  QString fileToTrain();
  /// Asks about unsaved edits. True: the document is closed; unsaved edits are discarded.
  bool close();
  /// Writes the draft without asking, because the session ends. Returns once it is on disk.
  void keepDraft();

 public Q_SLOTS:
  /// The text was edited.
  void markEdited();
  /// Checks whether the file has changed.
  void checkFile();
  /// Performs the notice's action and clears the notice.
  void acceptNotice();
  void dismissNotice();

 Q_SIGNALS:
  /// Another document was opened; `text` is that of its file.
  void opened(const QString& text, const QString& path);
  /// Show this text, as one change that can be undone.
  void textReplaced(const QString& text);
  /// The text was saved to `path`.
  void saved(const QString& path);
  /// isUnsaved(), hasFile() or path() may have changed.
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
  QString base_;         ///< text before the edits of a document without a file
  QString recordOfRun_;  ///< config.yaml of the run that a document without a file was copied from
  bool hasDocument_ = false;
  DocumentDraft draft_;  ///< last member: its destructor reads the others
};

}  // namespace lockstep::app
