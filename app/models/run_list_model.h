#pragma once

#include <QAbstractListModel>
#include <QFileSystemWatcher>
#include <QFutureWatcher>
#include <QTimer>
#include <optional>
#include <vector>

#include "app/models/run_styles.h"
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
    StateRole,  ///< a base::OpenEnum<protocol::RunState>
    StateTextRole,
    StepRole,
    MaxStepsRole,
    BestValueRole,  ///< invalid: none yet
    BestMetricRole,
    AliveRole,
    ErrorRole,
    StyleIndexRole,  ///< colour and dash, kept
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
  void setLive(const QString& folder, const base::OpenEnum<protocol::RunState>& state, qint64 step);
  /// Row of a run folder, -1: not listed.
  int rowOf(const QString& folder) const;
  const run_folder::RunSummary& summary(int row) const { return rows_[row].summary; }
  int styleIndexOf(const QString& folder) const;
  /// What these runs are called side by side: by their folders where names are alike.
  QStringList namesOf(const QStringList& folders) const;
  /// Runs that are drawn together get styles that differ.
  void makeDistinct(const QStringList& folders);
  QStringList keptStyles() const { return styles_.kept(); }
  /// Before the first listing: what keptStyles() was.
  void restoreStyles(const QStringList& kept) { styles_.restore(kept); }
  /// Why the runs under the folder are those of an earlier listing; empty: they are not.
  QString listingFault() const { return listingFault_; }
  /// Everything that was asked for so far has been listed.
  bool isLoaded() const { return listed_ == asked_; }

 public Q_SLOTS:
  void refresh();

 Q_SIGNALS:
  /// isLoaded() became true.
  void loaded();
  void runChanged(const QString& folder);
  /// Folders of runs that were listed and are there no more.
  void runsVanished(const QStringList& folders);
  void listingFaultChanged();
  void stylesChanged();

 private:
  struct Row {
    QString folder;
    run_folder::RunSummary summary;
  };
  struct Listing {
    QString parentFolder;
    std::vector<run_folder::RunSummary> runs;
    QString fault;  ///< of the parent folder: `runs` has none of it
  };
  static Listing listAll(const QString& parent, bool wasThere, const QStringList& singles);
  bool isUnderParent(const QString& folder) const;
  void take(Listing listing);
  void removeMissing(const Listing& listing);
  void insertRun(const run_folder::RunSummary& summary);
  void setListingFault(const QString& fault);
  std::vector<int> usedStyles() const;
  void watchFolders();

  QString parentFolder_;
  QStringList singleRuns_;
  std::vector<Row> rows_;
  RunStyles styles_;
  QFutureWatcher<Listing> watcher_;
  QFileSystemWatcher folders_;
  QTimer poll_;
  bool again_ = false;
  int asked_ = 1;    ///< folders and runs asked for; 1: none yet
  int reading_ = 0;  ///< asked_ when the present listing began
  int listed_ = 0;   ///< asked_ when the last one that is done began
  QString listingFault_;
};

}  // namespace lockstep::app
