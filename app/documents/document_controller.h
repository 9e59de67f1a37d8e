#pragma once

#include <QObject>
#include <QScopeGuard>
#include <QString>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/documents/document_draft.h"
#include "app/documents/document_notice.h"
#include "app/documents/document_questions.h"
#include "app/documents/draft_keeper.h"
#include "app/documents/experiment_file.h"
#include "engine/base/error.h"
#include "widgets/jobs/awaited.h"

namespace lockstep::app {

/// File name that every import uses; only its folder identifies it.
inline const QString kImportedExperiment = QStringLiteral("experiment.yaml");

/// One of the open experiments.
struct OpenDocument {
  QString path;
  QString name;  ///< unique among the open ones
  bool isUnsaved = false;
  bool hasFile = false;
  bool operator==(const OpenDocument&) const = default;
};

/// The open experiments, of which one is shown, with their files and drafts. Edits are backed up as
/// a draft until they are saved or discarded; they stay while another experiment is shown. A file
/// that changed on disk is not overwritten without asking.
///
/// Files are read and written in the background. What needs them at once handles other events but
/// the user's input until they are, and soon asks him whether he wants to wait for a disk that does
/// not answer; it is refused while another of the kind is going on.
class DocumentController : public QObject {
  Q_OBJECT

 public:
  /// `text`: returns the edited text. `draftFolder` empty: no drafts.
  DocumentController(std::function<QString()> text, DocumentQuestions* questions,
                     const QString& draftFolder, QObject* parent = nullptr);

  /// It opens, saves or asks: until it is done, it does nothing else.
  bool isBusy() const { return isBusy_; }
  bool hasDocument() const { return hasDocument_; }
  /// Path of the document's file, or the suggested one if it has no file.
  QString path() const { return path_; }
  /// Name that is unique among the open documents; empty: none is shown.
  QString name() const { return names().value(shown_); }
  /// The text would be lost if the window closed now.
  bool isUnsaved() const;
  /// It has a file, which exists.
  bool hasFile() const;
  const DocumentNotice& notice() const { return notice_; }

  /// In the order in which they were opened.
  QList<OpenDocument> documents() const;
  /// Index of the one that is shown; -1: none is open.
  int shownDocument() const { return shown_; }
  void showDocument(int index);
  /// Closes the shown one, after a question about unsaved edits, and shows another, if there is
  /// one. False: it was not closed.
  bool closeShown();

  /// Shows it beside those that are open. False: it cannot be opened. A run's config.yaml is opened
  /// as a copy.
  bool open(const QString& path);
  /// The person's own file of the run, with what was set for the run; config.yaml of a run without
  /// one, and of one whose bases are gone.
  bool openCopyOfRun(const QString& runFolder);
  /// A text that is in no file yet; `path` is suggested for saving.
  void openText(const QString& text, const QString& path);
  bool openDraft(const QString& id);
  /// Shows a notice if there are drafts to restore, of these.
  void announceDrafts(QList<OrphanedDraft> left);

  /// False when it was not saved: the write failed, or the user canceled.
  bool save();
  bool saveAs();
  /// The file to train, with the text that is shown; empty: canceled. Asks if there are unsaved
  /// edits.
  QString fileToTrain();
  /// Asks about unsaved edits of each. True: all may be closed; unsaved edits are discarded. Texts
  /// without a file that were not edited stay as drafts.
  bool close();
  /// Writes the drafts without asking, because the session ends. Returns once it is on disk.
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
  /// The only document was closed.
  void closed();
  /// Show this text, as one change that can be undone.
  void textReplaced(const QString& text);
  /// The text was saved to `path`.
  void saved(const QString& path);
  /// isUnsaved(), hasFile(), path() or documents() may have changed.
  void stateChanged();
  void noticeChanged();
  /// isBusy() has become false.
  void idle();
  void failed(const QString& title, const QString& detail);

 private:
  template <typename Work>
  std::invoke_result_t<Work> onDisk(const QString& path, Work work);
  template <typename Act>
  bool report(const QString& failure, Act act);
  template <typename Act>
  bool attempt(const QString& failure, Act act);
  static bool waitUnasked(const jobs::Ending& answer);
  /// What show() begins with, besides the text.
  struct Place {
    QString path;
    QString real{};         ///< ExperimentFile::realPath(); empty: it has no file
    QString recordOfRun{};  ///< of a copy of a run's configuration
  };
  /// What is kept of a document while another is shown.
  struct Kept {
    Place place{};
    QString base{};                  ///< text before the edits of a document without a file
    std::optional<QString> known{};  ///< text of its file as last read or written
    QString text{};
    std::unique_ptr<DraftKeeper> draft{};
    DocumentNotice notice{};  ///< that its edits were restored

    QString saved() const { return known.value_or(base); }
  };
  QStringList names() const;
  QString unusedPath(const QString& path) const;
  int indexOf(const QString& path, const QString& real) const;
  void keepShown();
  void showKept(int index);
  void showAt(int index);
  void showNew(const QString& text, const Place& place);
  void show(const QString& text, const Place& place);
  void showNone();
  bool openFile(const QString& file);
  bool openRecord(const QString& runFolder);
  void findDrafts();
  QList<OrphanedDraft> orphanedDrafts();
  ExperimentFile::State look();
  QStringList filesGoneUnseen();
  bool saveNow();
  bool saveAsNow();
  void restoreDraft(const OrphanedDraft& left, qsizetype others);
  bool maybeSave();
  bool isInConflict() const;
  DocumentQuestions::Overwriting askBeforeOverwriting();
  void reloadInConflict();
  bool writeTo(const QString& path, const QString& text);
  void markSaved(const QString& path, const QString& real, const QString& text);
  QString fileToTrainNow();
  QString trainCopy();
  void reload(const QString& text);
  void handleFileChange();
  void acceptNow(DocumentNotice::Kind kind);
  void discardDraft();
  void dropDrafts();
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
  bool isBusy_ = false;     ///< in attempt()
  std::vector<Kept> kept_;  ///< of all documents; that of the shown one is empty
  int shown_ = -1;
  DocumentDraft draft_;  ///< last member: its destructor reads the others
};

/// The result of the work, which is done in the background. Throws what it throws, or Error if the
/// disk of `path` does not answer and the user does not wait for it.
template <typename Work>
std::invoke_result_t<Work> DocumentController::onDisk(const QString& path, Work work) {
  const jobs::Awaited awaited(std::move(work));
  if (!waitUnasked(awaited.ending())) questions_->waitForDisk(path, awaited.ending());
  if (!awaited.ending().isReached())
    throw Error(path.toStdString() +
                ": its disk does not answer; the request may still be carried out");
  return awaited.take();
}

/// What `act` returns; false if it throws.
template <typename Act>
bool DocumentController::report(const QString& failure, Act act) {
  try {
    return act();
  } catch (const std::exception& error) {
    Q_EMIT failed(failure, QString::fromUtf8(error.what()));
    return false;
  }
}

/// Does what the user asked for, unless something else is going on.
template <typename Act>
bool DocumentController::attempt(const QString& failure, Act act) {
  if (isBusy_) return false;
  const auto done = qScopeGuard([this] {
    isBusy_ = false;
    Q_EMIT idle();
  });
  isBusy_ = true;
  return report(failure, act);
}

}  // namespace lockstep::app
