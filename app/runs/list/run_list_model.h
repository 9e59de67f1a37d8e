#pragma once

#include <QAbstractListModel>
#include <QHash>
#include <QMap>
#include <QTimer>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "app/engines/remote_place.h"
#include "app/runs/list/place_scan.h"
#include "app/runs/list/remote_run_list.h"
#include "app/runs/list/run_pace.h"
#include "app/runs/list/run_scan.h"
#include "app/runs/list/run_styles.h"
#include "engine/run_folder/run_notes.h"

namespace lockstep::app {

/// Runs of one folder plus single runs, newest first, updated in the background: the GUI thread
/// works only for the runs that have changed. Rows are inserted and removed in place, so that views
/// keep their selection.
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
    StyleIndexRole,  ///< index of colour and dash, saved across restarts
    CreatedRole,
    ProgramRole,    ///< "detectron2"; empty: ours
    StartTextRole,  ///< its host, or when it was started if another run has the same name
    HostRole,       ///< of a run on another machine; empty: it is on this one
    TagsRole,       ///< a QStringList
    NoteRole,
    ArchivedRole,
    PinnedRole,
    NotesFaultRole,     ///< why its notes could not be read; empty: they could
    DurationRole,       ///< seconds from its start to its end, or to now; invalid: unknown
    EtaRole,            ///< seconds to its last step, at its pace; invalid: unknown
    QueuePositionRole,  ///< among those that wait on this machine, from 1; invalid: it does not
    SocketRole,         ///< of its engine on this machine; empty: it does not run
    ForkOfRole,         ///< `NAME at step 400`; empty: it is no fork
    VanishedRole,       ///< its folder no longer exists
  };
  explicit RunListModel(QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

  /// The folders whose runs are listed. They need not exist yet.
  void setParentFolders(const QStringList& folders);
  QStringList parentFolders() const { return parentFolders_; }
  /// The folders and the places on other machines that are listed, as addresses.
  QStringList places() const { return parentFolders_ + remoteRuns_.keys(); }
  /// The first one, where new runs are created.
  QString parentFolder() const { return parentFolders_.value(0); }
  /// Adds a run that need not be in one of them.
  void addRun(const QString& folder);
  /// The runs at a place on another machine: replaces those of before. Those that are listed as the
  /// last time stay as they are.
  void setRemoteRuns(const RemotePlace& place, const std::vector<ListedRun>& runs,
                     qsizetype leftOut = 0);
  /// Why the runs there cannot be listed now; they stay as they are.
  void setRemoteError(const RemotePlace& place, const QString& error);
  /// State and step from a live connection, ahead of run.json.
  void setLive(const QString& folder, const base::OpenEnum<protocol::RunState>& state, qint64 step,
               const std::optional<run_folder::Best>& best = std::nullopt);
  /// What was just written, ahead of the next reading.
  void setNotes(const QString& folder, const run_folder::RunNotes& notes);
  /// The file with the notes of other programs' runs; by default there is none.
  void setForeignNotesFile(const QString& file);
  /// Row of a run folder; -1: not listed.
  int rowOf(const QString& folder) const;
  const run_folder::RunSummary& summary(int row) const { return rows_[row].run.summary; }
  const run_folder::RunNotes& notes(int row) const { return rows_[row].run.notes; }
  /// What a run on another machine has there, without the user's own notes.
  const run_folder::RunNotes& notesThere(int row) const { return rows_[row].run.notesThere; }
  int styleIndexOf(const QString& folder) const;
  /// What the list, the top bar, titles, legends and messages call a run: the name that the user
  /// gave it, else that of its experiment; of a run that is not listed that of its folder.
  QString nameOf(const QString& folder) const;
  /// "NAME", with its start or host where others have the same name, as in the list.
  QString listedName(int row) const;
  /// Names to tell these runs apart: those of their folders where run names are equal.
  QStringList namesOf(const QStringList& folders) const;
  /// Removes runs from the list. One whose folder exists comes back with the next change of it.
  void forget(const QStringList& folders);
  void setStyle(const QString& folder, int style);
  /// Gives runs that are drawn together different styles.
  void makeDistinct(const QStringList& folders);
  QStringList keptStyles() const { return styles_.kept(); }
  /// Restores saved keptStyles(); call it before the first listing.
  void restoreStyles(const QStringList& kept) { styles_.restore(kept); }
  /// Why places could not be listed, a line for each; empty: they could.
  QString listingError() const;
  /// All folders and runs requested so far have been listed, or do not answer.
  bool isLoaded() const;

 public Q_SLOTS:
  void refresh();

 Q_SIGNALS:
  /// isLoaded() became true.
  void loaded();
  /// A place on another machine has been listed for the first time.
  void placesChanged();
  void runChanged(const QString& folder);
  void listingErrorChanged();
  void stylesChanged();

 private:
  struct Row {
    QString folder;
    ListedRun run;
    RunPace pace{};
    bool hasVanished = false;
  };
  /// How many runs there are of a name, and of those in the same minute.
  struct Namesakes {
    int count = 0;
    QHash<qint64, int> perMinute;
  };
  void announceStyles();
  static bool isAliveHere(const Row& row);
  /// Starts and ends the scans that are needed for what is listed.
  void updatePlaces();
  std::unique_ptr<PlaceScan> makePlace(const QString& folder);
  void announceLoaded();
  bool isAskedFor(const QString& folder) const;
  void applyChanges(const RunScan::Changes& changes);
  void removeGone(const RunScan::Changes& changes);
  void removeRows(const QStringList& folders);
  void removeRange(int first, int last);
  /// Returns whether its name has changed.
  bool replaceRun(Row& row, const ListedRun& run);
  void addOrUpdate(const std::vector<ListedRun>& found);
  void insertRuns(std::vector<Row> fresh);
  void indexRows(std::size_t from);
  void countName(const ListedRun& run, int change);
  QString startTextOf(const Row& row) const;
  QVariant notesData(const Row& row, int role) const;
  QVariant timeData(const Row& row, int role) const;
  QString forkTextOf(const Row& row) const;
  QString toolTipOf(const Row& row) const;
  void announceNames();
  void setListingError(const QString& place, const QString& error);

  QStringList parentFolders_;
  QString foreignNotesFile_;
  QStringList singleRuns_;
  std::map<QString, std::unique_ptr<PlaceScan>> places_;  ///< by folder
  bool wasLoaded_ = false;
  std::vector<Row> rows_;
  QHash<QString, int> rowOf_;  ///< by folder
  QHash<QString, Namesakes> namesakes_;
  RunStyles styles_;
  RunStyles::Counts usedStyles_{};
  QTimer poll_;
  QMap<QString, QString> listingErrors_;  ///< by place
  /// As last listed, by address, by that of the place.
  QMap<QString, RemoteRunsByAddress> remoteRuns_;
};

}  // namespace lockstep::app
