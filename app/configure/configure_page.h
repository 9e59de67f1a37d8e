#pragma once

#include <QStringList>
#include <QWidget>
#include <functional>
#include <memory>
#include <set>

#include "app/configure/preparation_watch.h"
#include "app/documents/document_controller.h"
#include "app/engines/machine_devices.h"
#include "app/experiments/experiment_survey.h"
#include "app/experiments/image_counter.h"
#include "app/files/file_watch.h"
#include "widgets/jobs/latest_job.h"

namespace lockstep::widgets {
class ConfigEditor;
}

namespace lockstep::app {

/// The Configure page: editor and document of one experiment.
class ConfigurePage : public QWidget {
  Q_OBJECT

 public:
  /// `draftFolder`: where unsaved edits are backed up; empty: nowhere. `questions` nullptr:
  /// dialogs.
  explicit ConfigurePage(const QString& draftFolder = {},
                         std::unique_ptr<DocumentQuestions> questions = nullptr,
                         QWidget* parent = nullptr);
  ~ConfigurePage() override;

  /// Shows it beside those that are open. False: it cannot be opened.
  bool open(const QString& path);
  /// Asks for a file to open.
  void openWithDialog();
  /// Opens a run's configuration as a new experiment without a file; saving asks for its path.
  bool openCopyOfRun(const QString& runFolder);
  bool openDraft(const QString& id);
  /// A text that is in no file yet; `path` is suggested for saving.
  void openText(const QString& text, const QString& path);
  /// The next one of the open experiments, and the first after the last.
  void showNext();
  /// Closes the shown one, unless it is the only one.
  bool closeShown();
  /// False when it was not saved (no file chosen, or the write failed).
  bool save();
  bool saveAs();
  /// The file to train, after unsaved edits were saved or copied as the user chose; empty:
  /// canceled.
  QString fileToTrain();
  /// Whether the documents may be closed: saved, discarded by the user, or never edited.
  bool closeDocuments();
  /// Shows the differences to a run folder or an experiment file, once it is read. An empty name
  /// becomes that of the file, distinct from that of the open one.
  void compareWith(QString name, const QString& path);
  /// Where the folders of runs on this machine come from, the newest first: their measured time and
  /// memory are shown.
  void setRuns(std::function<QStringList()> runs) { runs_ = std::move(runs); }
  /// File in whose folder the open dialog starts while no document is open.
  void setLastFile(const QString& path) { lastFile_ = path; }
  /// Has the engine check the file with its data and weights; its words are shown at their keys.
  void checkData();
  /// Shows at their keys what the engine said of the shown experiment.
  void showFound(const QString& messages);
  /// Backs up unsaved edits for the next start, because the session ends.
  void keepDraft();

  /// What had the focus here, or the form.
  void takeFocus();
  bool hasDocument() const;
  bool isUnsaved() const { return document_.isUnsaved(); }
  /// Such as "droplets.yaml"; empty: no document.
  QString documentName() const;
  /// What Train names: the file, or its folder if it is the experiment.yaml of an import, as many
  /// files are.
  QString trainName() const;
  /// Why the experiment cannot be trained; empty: it can.
  QString trainingBlockedBy() const;
  /// Commands of monitor.on_event that the user typed: no opened text or base contains them.
  const QStringList& writtenCommands() const { return writtenCommands_; }
  /// Progress of preparing its data.
  const Preparation& preparation() const { return preparation_.preparation(); }
  bool isReady() const;
  widgets::ConfigEditor* editor() const { return editor_; }
  DocumentController* document() { return &document_; }
  const DocumentController* document() const { return &document_; }

 Q_SIGNALS:
  void readyChanged();
  /// A new experiment is to be made.
  void newRequested();
  /// A run or a file to compare with is to be chosen.
  void comparisonRequested();
  /// A learning-rate range test of this experiment is to be started.
  void rangeTestRequested();
  /// The engine's check has ended and found no error.
  void checked(const QString& name, const QString& summary);
  /// The file, its name, its issues, its text or the progress of its data changed.
  void documentChanged();
  void failed(const QString& title, const QString& detail);

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void noteCommands();
  void connectEditor();
  void connectDocument();
  void watchBases();
  void followPreparation();
  void countImages();
  void survey();
  void showSurvey();
  void listOpenFiles();

  widgets::ConfigEditor* editor_ = nullptr;
  std::unique_ptr<DocumentQuestions> questions_;
  FileWatch bases_;  ///< that the experiment inherits from
  QStringList watched_;
  int watches_ = 0;
  DocumentController document_;
  PreparationWatch preparation_;
  ImageCounter images_;
  qint64 drawsPerEpoch_ = 0;
  std::function<QStringList()> runs_;
  QString lastFile_;
  EngineCommand check_;
  QString checked_;  ///< the file that it checks
  MachineDevices devices_;
  jobs::LatestJob<ExperimentSurvey> survey_;
  QString surveyed_;                 ///< what the last survey was of
  bool isGivenText_ = false;         ///< opened or replaced since the last check
  std::set<QString> givenCommands_;  ///< commands in opened texts and in bases
  QStringList writtenCommands_;
  ExperimentSurvey known_;
};

}  // namespace lockstep::app
