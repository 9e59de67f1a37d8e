#pragma once

#include <QDialog>
#include <QList>
#include <QString>
#include <functional>

#include "app/configure/experiment_origin.h"
#include "app/configure/run_choice.h"
#include "app/experiments/dataset_preparation.h"
#include "app/experiments/experiment_templates.h"
#include "widgets/jobs/latest_job.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QStackedWidget;

namespace lockstep::widgets {
class EmptyState;
}

namespace lockstep::app {

/// Asks what a new experiment begins from, prepares its data, and shows what is wrong with them
/// before anything trains. Not modal: the window stays usable while data are imported.
class NewExperimentDialog : public QDialog {
  Q_OBJECT

 public:
  /// `program` empty: lockstep-engine beside this program.
  explicit NewExperimentDialog(QWidget* parent = nullptr, const QString& program = {});

  /// Those that an experiment can begin from.
  void setRuns(const QList<RunChoice>& runs);
  void setTemplates(const QList<ExperimentTemplate>& templates);
  void choose(ExperimentOrigin origin);
  ExperimentOrigin origin() const;
  /// The data folder on the page for data, and the folder to create.
  void setDataFolder(const QString& folder);
  bool isBusy() const { return preparation_.isRunning(); }
  /// Why nothing can be imported or made; empty: it can.
  void setBlocked(const QString& why);

 Q_SIGNALS:
  /// An experiment file that was written, to be opened.
  void experimentReady(const QString& file, lockstep::app::ExperimentOrigin origin);
  /// A text that is in no file yet.
  void textReady(const QString& text, const QString& suggestedPath);
  void runChosen(const QString& folder);

 private:
  struct SeenPath {
    QString path;
    bool isThere = false;
  };
  void buildUi();
  QWidget* buildDataPage();
  QWidget* buildTemplatePage();
  QWidget* buildRunPage();
  QWidget* buildScenesPage();
  QWidget* buildFindingsPage();
  QLayout* buildFoot();
  void connectSignals();
  /// Whether all is given that an experiment needs which begins from this.
  bool hasAllThat(ExperimentOrigin needed) const;
  void updateButtons();
  static void showWhether(bool isEmpty, QWidget* instead, QWidget* list);
  void go();
  void startPreparation();
  void openTemplate();
  void clean();
  void showProgress(const QString& stage, const QString& line);
  void showFindings(const QString& file, const DatasetFindings& findings);
  void showWhetherThere(const SeenPath& seen);
  void showFailure(const QString& reason);
  bool showsFindings() const;
  void done(int result) override;

  DatasetPreparation preparation_;
  jobs::LatestJob<SeenPath> lookForSource_;
  QList<ExperimentTemplate> templates_;
  QString experiment_;  ///< that was prepared; empty: none yet
  QString blockedBy_;
  bool hasFaults_ = false;
  QListWidget* origins_ = nullptr;
  QStackedWidget* pages_ = nullptr;
  QLineEdit* source_ = nullptr;
  QComboBox* format_ = nullptr;
  QLineEdit* importTo_ = nullptr;
  QListWidget* templateList_ = nullptr;
  widgets::EmptyState* noTemplates_ = nullptr;
  QListWidget* runList_ = nullptr;
  widgets::EmptyState* noRuns_ = nullptr;
  QLineEdit* trainImages_ = nullptr;
  QLineEdit* valImages_ = nullptr;
  QLineEdit* scenesTo_ = nullptr;
  QLabel* findingsTitle_ = nullptr;
  QPlainTextEdit* findings_ = nullptr;
  QLabel* stage_ = nullptr;
  QLabel* reason_ = nullptr;  ///< why it failed; hidden: it did not
  QProgressBar* progress_ = nullptr;
  QPushButton* back_ = nullptr;
  QPushButton* clean_ = nullptr;  ///< where there are faults
  QPushButton* cancel_ = nullptr;
  QPushButton* go_ = nullptr;
};

/// Where new folders are proposed.
QString workFolder();
/// `name`, `name-2`, … in a folder: the first that does not exist.
QString freePath(const QString& folder, const QString& name);

}  // namespace lockstep::app
