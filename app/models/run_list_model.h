#pragma once

#include <QAbstractListModel>
#include <QFileSystemWatcher>
#include <QFutureWatcher>
#include <QTimer>
#include <optional>
#include <vector>

#include "engine/run_folder/run_folder.h"

namespace lockstep::app {

/// Runs under one folder and single runs beside it, newest first, kept up to date in the
/// background. Rows come and go one by one, so that a view's selection stays.
class RunListModel : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role {
    FolderRole = Qt::UserRole + 1,
    NameRole,
    StateRole,
    StepRole,
    MaxStepsRole,
    BestValueRole,  ///< invalid: none yet
    BestMetricRole,
    AliveRole,
    ErrorRole,
    StyleIndexRole,  ///< colour and dash; the same as long as the app runs
    CreatedRole,
  };
  explicit RunListModel(QObject* parent = nullptr);
  ~RunListModel() override;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

  /// The folder whose runs are listed. It need not exist yet.
  void setParentFolder(const QString& folder);
  QString parentFolder() const { return parentFolder_; }
  /// A run that is listed wherever it lies.
  void addRun(const QString& folder);
  /// What a live connection knows before run.json says it.
  void setLive(const QString& folder, const QString& state, qint64 step);
  /// Row of a run folder, -1: not listed.
  int rowOf(const QString& folder) const;
  const run_folder::RunSummary& summary(int row) const { return rows_[row].summary; }
  int styleIndexOf(const QString& folder) const;
  /// Everything that was asked for so far has been listed.
  bool isLoaded() const { return listed_ == asked_; }

 public Q_SLOTS:
  void refresh();

 Q_SIGNALS:
  /// isLoaded() became true.
  void loaded();
  void runChanged(const QString& folder);

 private:
  struct Row {
    QString folder;
    run_folder::RunSummary summary;
    int styleIndex = 0;
  };
  void take(std::vector<run_folder::RunSummary> found);
  void insertRun(const run_folder::RunSummary& summary);
  void watchFolders();

  QString parentFolder_;
  QStringList singleRuns_;
  std::vector<Row> rows_;
  QFutureWatcher<std::vector<run_folder::RunSummary>> watcher_;
  QFileSystemWatcher folders_;
  QTimer poll_;
  bool again_ = false;
  int asked_ = 1;    ///< folders and runs asked for; 1: none yet
  int reading_ = 0;  ///< asked_ when the present listing began
  int listed_ = 0;   ///< asked_ when the last one that is done began
  int nextStyle_ = 0;
};

}  // namespace lockstep::app
