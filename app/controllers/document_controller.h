#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <memory>

#include "app/controllers/draft_folder.h"
#include "app/controllers/experiment_file.h"

class QTimer;

namespace lockstep::app {

/// What only a person can decide. Each waits for the answer.
class DocumentQuestions {
 public:
  enum class Leaving { Save, Discard, Cancel };
  enum class Overwriting { Overwrite, Reload, SaveElsewhere, Cancel };
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

/// Something about the document that is said over it until it is answered or passes.
struct DocumentNotice {
  enum class Kind {
    None,
    CameBack,         ///< a draft; `action` gives it up
    ReadAgain,        ///< the file changed, nothing was edited here
    ChangedOutside,   ///< the file changed while it is edited here; `action` takes its text
    Gone,             ///< the file was deleted or moved
    Left,             ///< drafts of other documents wait; `action` opens the newest
    EditedElsewhere,  ///< another window has unsaved edits of this file
    NotKept,          ///< drafts cannot be written
    SavedAsCopy,
    PathsMoved,  ///< saved in another folder, its relative paths written anew
  };
  Kind kind = Kind::None;
  QString title{}, detail{};
  QString action{};   ///< of the button; empty: none
  QString dismiss{};  ///< of the button that only takes the notice away; empty: as usual
};

/// The open experiment: its file, its draft, and that nothing typed is lost. What is edited here is
/// kept as a draft until it is saved or given up; nothing is overwritten that was not seen.
class DocumentController : public QObject {
  Q_OBJECT

 public:
  /// `text` gives the text as it is edited now. `draftFolder` empty: no drafts.
  DocumentController(std::function<QString()> text, DocumentQuestions* questions,
                     const QString& draftFolder, QObject* parent = nullptr);
  ~DocumentController() override;

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
  QList<LeftDraft> leftDrafts() const { return drafts_.left(); }
  bool openDraft(const QString& id);
  /// Says that drafts wait, where some do.
  void announceLeftDrafts();

  /// False when it was not saved: refused, or given up by the person.
  bool save();
  bool saveElsewhere();
  /// The file to train from, which holds what is shown; empty: not now. Asks once when something is
  /// edited.
  QString fileToTrain();
  /// Asks about unsaved edits. True: the document is left, edits that were not saved are given up.
  bool leave();
  /// The session ends: nobody can be asked. Returns once the draft is on disk.
  void keepDraft();

 public Q_SLOTS:
  /// The text was edited.
  void noteEdit();
  /// Looks whether the file has changed.
  void look();
  /// Does what the notice offers; takes it away.
  void actOnNotice();
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
  void bringBack(const LeftDraft& left);
  bool mayLeave();
  bool isInConflict() const;
  DocumentQuestions::Overwriting askBeforeOverwriting();
  void takeTextInConflict();
  bool writeTo(const QString& path, const QString& text);
  void standIn(const QString& path, const QString& text);
  QString trainCopy();
  void takeText(const QString& text);
  void takeFileChange();
  void giveUpDraft();
  void updateDraft();
  void connectKeeper();
  void dropDraft();
  void tellNotKept(const QString& reason);
  void tell(DocumentNotice notice);
  void forgetNotice(DocumentNotice::Kind kind);
  void forgetDocumentNotice();

  std::function<QString()> text_;
  DocumentQuestions* questions_;
  DraftFolder drafts_;
  ExperimentFile file_;
  std::unique_ptr<DraftKeeper> keeper_;
  QTimer* draftPause_;
  DocumentNotice notice_;
  QString path_;
  QString base_;         ///< text of a document without a file before it was edited
  QString recordOfRun_;  ///< config.yaml of the run that a document without a file is a copy of
  QString draftText_;    ///< as the draft has it
  bool hasDocument_ = false;
  bool isDraftDue_ = false;  ///< edited since the draft was written last
  bool isNotKeptTold_ = false;
};

}  // namespace lockstep::app
