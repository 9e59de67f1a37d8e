#include "app/runs/list/run_list_model.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QLocale>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>

#include "app/text/distinct_names.h"
#include "app/text/window_words.h"
#include "engine/base/clock.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::milliseconds kPollInterval{2000};

QString folderOf(const run_folder::RunSummary& summary) {
  const QString folder = QString::fromStdString(summary.folder.string());
  if (RemotePlace::isRemote(folder)) return folder;
  return QDir::cleanPath(folder);
}

qint64 minuteOf(const run_folder::RunSummary& summary) {
  return static_cast<qint64>(std::floor(summary.info.created / 60));
}

QStringList textsOf(const std::vector<std::string>& texts) {
  QStringList list;
  for (const std::string& text : texts) list.append(QString::fromStdString(text));
  return list;
}

std::filesystem::path pathOf(const QString& folder) { return folder.toStdString(); }

}  // namespace

RunListModel::RunListModel(QObject* parent) : QAbstractListModel(parent) {
  connect(&poll_, &QTimer::timeout, this, &RunListModel::refresh);
  poll_.start(kPollInterval);
}

int RunListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant RunListModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = rows_[index.row()];
  const run_folder::RunInfo& info = row.run.summary.info;
  switch (role) {
    case Qt::DisplayRole:
    case NameRole:
      return QString::fromStdString(app::nameOf(row.run));
    case Qt::ToolTipRole:
      return toolTipOf(row);
    case FolderRole:
      return row.folder;
    case Qt::AccessibleTextRole: {
      QStringList texts{QString::fromStdString(app::nameOf(row.run)), startTextOf(row),
                        QString::fromStdString(info.state.text())};
      if (const QString fork = forkTextOf(row); !fork.isEmpty())
        texts.append(tr("fork of %1").arg(fork));
      texts.removeAll(QString());
      return texts.join(QStringLiteral(", "));
    }
    case StateRole:
      return QVariant::fromValue(info.state);
    case StateTextRole:
      return row.hasVanished ? tr("vanished") : QString::fromStdString(info.state.text());
    case VanishedRole:
      return row.hasVanished;
    case StepRole:
      return static_cast<qint64>(info.step);
    case MaxStepsRole:
      return static_cast<qint64>(info.maxSteps);
    case BestValueRole:
      return info.best ? QVariant(info.best->value) : QVariant();
    case BestMetricRole:
      return info.best ? QString::fromStdString(info.best->metric) : QString();
    case AliveRole:
      return row.run.summary.alive;
    case ErrorRole:
      return info.error ? inWindowWords(info.error->message) : QString();
    case StyleIndexRole:
      return styles_.find(row.folder).value_or(0);
    case ForkOfRole:
      return forkTextOf(row);
    case ProgramRole:
      return row.run.program ? QString::fromLatin1(base::textOf(*row.run.program)) : QString();
    case QueuePositionRole:
      return run_folder::isInQueue(info) && isAliveHere(row) ? QVariant(*info.queuePosition)
                                                             : QVariant();
    case HostRole:
      return RemotePlace::isRemote(row.folder) ? QString::fromStdString(info.host) : QString();
    case SocketRole:
      return isAliveHere(row) ? QString::fromStdString(info.socket) : QString();
    case CreatedRole:
    case StartTextRole:
    case DurationRole:
    case EtaRole:
      return timeData(row, role);
    default:
      return notesData(row, role);
  }
}

bool RunListModel::isAliveHere(const Row& row) {
  return row.run.summary.alive && !RemotePlace::isRemote(row.folder);
}

QVariant RunListModel::notesData(const Row& row, int role) const {
  const run_folder::RunNotes& notes = row.run.notes;
  switch (role) {
    case TagsRole:
      return textsOf(notes.tags);
    case NoteRole:
      return QString::fromStdString(notes.note);
    case ArchivedRole:
      return notes.archived;
    case PinnedRole:
      return notes.pinned;
    case NotesFaultRole:
      return QString::fromStdString(row.run.notesFault);
    default:
      return {};
  }
}

QVariant RunListModel::timeData(const Row& row, int role) const {
  const run_folder::RunInfo& info = row.run.summary.info;
  switch (role) {
    case CreatedRole:
      return info.created;
    case StartTextRole:
      return startTextOf(row);
    case DurationRole: {
      if (info.started <= 0) return {};
      const bool isGoingOn = row.run.summary.alive && info.finished <= 0;
      const double end =
          isGoingOn ? base::wallTimeSeconds() : std::max(info.finished, info.updated);
      return std::max(0.0, end - info.started);
    }
    case EtaRole: {
      const auto seconds = row.pace.secondsLeft(row.run.summary);
      return seconds ? QVariant(*seconds) : QVariant();
    }
    default:
      return {};
  }
}

/// With the seconds if two of these runs were started in the same minute.
QString RunListModel::startTextOf(const Row& row) const {
  if (RemotePlace::isRemote(row.folder)) return QString::fromStdString(row.run.summary.info.host);
  const auto namesakes = namesakes_.constFind(QString::fromStdString(app::nameOf(row.run)));
  if (namesakes == namesakes_.cend() || namesakes->count < 2 || row.run.summary.info.created <= 0)
    return {};
  const bool isOfSameMinute = namesakes->perMinute.value(minuteOf(row.run.summary)) > 1;
  const QDateTime time =
      QDateTime::fromMSecsSinceEpoch(std::llround(row.run.summary.info.created * 1000));
  return QLocale(QLocale::English)
      .toString(time, isOfSameMinute ? QStringLiteral("d MMM, HH:mm:ss")
                                     : QStringLiteral("d MMM, HH:mm"));
}

void RunListModel::setParentFolders(const QStringList& folders) {
  parentFolders_.clear();
  for (const QString& folder : folders) {
    const QString path = QDir::cleanPath(QDir(folder).absolutePath());
    if (!parentFolders_.contains(path)) parentFolders_.append(path);
  }
  updatePlaces();
}

void RunListModel::addRun(const QString& folder) {
  const QString path = QDir::cleanPath(QDir(folder).absolutePath());
  if (!singleRuns_.contains(path)) singleRuns_.append(path);
  updatePlaces();
  // It may be new in a folder that has been looked at.
  PlaceScan& place = *places_.at(path.section(u'/', 0, -2));
  place.look(RunScan::Wanted(place.wanted()));
}

void RunListModel::setForeignNotesFile(const QString& file) {
  foreignNotesFile_ = file;
  updatePlaces();
}

void RunListModel::updatePlaces() {
  std::map<QString, RunScan::Wanted> wanted;
  for (const QString& folder : parentFolders_) wanted[folder].parent = pathOf(folder);
  for (const QString& run : singleRuns_) {
    const QString folder = run.section(u'/', 0, -2);
    if (!parentFolders_.contains(folder)) wanted[folder].singles.push_back(pathOf(run));
  }
  for (auto place = places_.begin(); place != places_.end();) {
    const bool isWanted = wanted.contains(place->first);
    if (!isWanted) setListingError(place->first, {});
    place = isWanted ? std::next(place) : places_.erase(place);
  }
  for (auto& [folder, what] : wanted) {
    what.foreignNotes = pathOf(foreignNotesFile_);
    auto& place = places_[folder];
    if (!place) place = makePlace(folder);
    if (place->wanted() != what) place->look(what);
  }
  QStringList others;  // runs of folders that are no longer listed
  for (const Row& row : rows_)
    if (!isAskedFor(row.folder)) others.append(row.folder);
  removeRows(others);
  wasLoaded_ = false;
}

std::unique_ptr<PlaceScan> RunListModel::makePlace(const QString& folder) {
  auto place = std::make_unique<PlaceScan>();
  connect(place.get(), &PlaceScan::scanned, this, [this, folder](const RunScan::Changes& changes) {
    setListingError(folder,
                    QString::fromStdString(changes.error.empty() ? changes.closed : changes.error));
    applyChanges(changes);
    announceLoaded();
  });
  connect(place.get(), &PlaceScan::overdue, this, [this, folder] {
    setListingError(folder, tr("%1: does not answer; its runs may be out of date").arg(folder));
    announceLoaded();
  });
  return place;
}

bool RunListModel::isLoaded() const {
  return !places_.empty() && std::all_of(places_.begin(), places_.end(), [](const auto& place) {
    return place.second->isSettled();
  });
}

void RunListModel::announceLoaded() {
  if (isLoaded() && !std::exchange(wasLoaded_, true)) Q_EMIT loaded();
}

void RunListModel::refresh() {
  for (const auto& [folder, place] : places_) place->lookAgain();
}

/// It is in a listed folder, a single run, or on another machine.
bool RunListModel::isAskedFor(const QString& folder) const {
  return RemotePlace::isRemote(folder) || singleRuns_.contains(folder) ||
         std::any_of(parentFolders_.begin(), parentFolders_.end(), [&](const QString& parent) {
           return folder == parent || folder.startsWith(parent + u'/');
         });
}

void RunListModel::applyChanges(const RunScan::Changes& changes) {
  const std::size_t before = rows_.size();
  const quint64 stylesBefore = styles_.revision();
  removeGone(changes);
  const std::size_t kept = rows_.size();
  addOrUpdate(changes.found);
  const bool hasOtherRows = kept != before || rows_.size() != kept;
  if (hasOtherRows) announceNames();
  if (styles_.revision() != stylesBefore) Q_EMIT stylesChanged();
}

/// Runs that are listed because the user asked for them stay, with the reason. Others, of a folder
/// that is no longer listed, go.
void RunListModel::removeGone(const RunScan::Changes& changes) {
  QStringList others;
  for (const std::filesystem::path& path : changes.gone) {
    const QString folder = QString::fromStdString(path.string());
    const int row = rowOf(folder);
    if (row < 0) continue;
    if (RemotePlace::isRemote(folder) || !isAskedFor(folder)) {
      others.append(folder);
      continue;
    }
    Row& own = rows_[static_cast<std::size_t>(row)];
    own.hasVanished = true;
    own.run.summary.alive = false;
    Q_EMIT dataChanged(index(row), index(row));
    Q_EMIT runChanged(folder);
  }
  removeRows(others);
}

void RunListModel::forget(const QStringList& folders) {
  for (const QString& folder : folders) singleRuns_.removeAll(folder);
  removeRows(folders);
  updatePlaces();
  refresh();  // so that one that comes back is found again
}

void RunListModel::removeRows(const QStringList& folders) {
  std::vector<int> gone;
  for (const QString& folder : folders)
    if (const int row = rowOf(folder); row >= 0) gone.push_back(row);
  std::sort(gone.begin(), gone.end());
  for (std::size_t end = gone.size(); end > 0;) {  // the last ones first, neighbours at once
    std::size_t begin = end - 1;
    while (begin > 0 && gone[begin - 1] + 1 == gone[begin]) --begin;
    removeRange(gone[begin], gone[end - 1]);
    end = begin;
  }
  if (!gone.empty()) announceNames();
}

void RunListModel::removeRange(int first, int last) {
  beginRemoveRows({}, first, last);
  for (int i = first; i <= last; ++i) {
    const Row& row = rows_[static_cast<std::size_t>(i)];
    countName(row.run, -1);
    --usedStyles_[static_cast<std::size_t>(styles_.find(row.folder).value_or(0))];
    rowOf_.remove(row.folder);
  }
  rows_.erase(rows_.begin() + first, rows_.begin() + last + 1);
  indexRows(static_cast<std::size_t>(first));
  endRemoveRows();
}

/// Names may be shared, or no longer be.
void RunListModel::announceNames() {
  if (!rows_.empty())
    Q_EMIT dataChanged(index(0), index(static_cast<int>(rows_.size()) - 1), {StartTextRole});
}

bool RunListModel::replaceRun(Row& row, const ListedRun& run) {
  const bool isRenamed = app::nameOf(row.run) != app::nameOf(run);
  countName(row.run, -1);
  row.pace.update(row.run.summary.info, run.summary.info);
  row.run = run;
  countName(row.run, 1);
  return isRenamed;
}

void RunListModel::addOrUpdate(const std::vector<ListedRun>& found) {
  std::vector<Row> fresh;
  bool areRenamed = false;
  for (const ListedRun& run : found) {
    const QString folder = folderOf(run.summary);
    const int row = rowOf(folder);
    if (row < 0) {
      fresh.push_back({folder, run});
      continue;
    }
    Row& own = rows_[static_cast<std::size_t>(row)];
    own.hasVanished = false;
    areRenamed |= replaceRun(own, run);
    Q_EMIT dataChanged(index(row), index(row));
    Q_EMIT runChanged(folder);
  }
  if (areRenamed) announceNames();
  insertRuns(std::move(fresh));
}

/// `fresh`: in the order of creation, so that colours do not depend on when the list was read.
/// Neighbours are inserted at once.
void RunListModel::insertRuns(std::vector<Row> fresh) {
  for (const Row& row : fresh) {
    ++usedStyles_[static_cast<std::size_t>(styles_.assign(row.folder, usedStyles_))];
    countName(row.run, 1);
  }
  std::reverse(fresh.begin(), fresh.end());  // newest first, as the rows are
  const auto isNewer = [](const Row& a, const Row& b) {
    return a.run.summary.info.created > b.run.summary.info.created;
  };
  std::size_t at = 0;
  for (std::size_t begin = 0; begin < fresh.size();) {
    const auto place = std::upper_bound(rows_.begin() + static_cast<std::ptrdiff_t>(at),
                                        rows_.end(), fresh[begin], isNewer);
    at = static_cast<std::size_t>(place - rows_.begin());
    std::size_t end = begin + 1;
    while (end < fresh.size() && (place == rows_.end() || isNewer(fresh[end], *place))) ++end;
    beginInsertRows({}, static_cast<int>(at), static_cast<int>(at + end - begin) - 1);
    rows_.insert(place, std::make_move_iterator(fresh.begin() + static_cast<std::ptrdiff_t>(begin)),
                 std::make_move_iterator(fresh.begin() + static_cast<std::ptrdiff_t>(end)));
    indexRows(at);
    endInsertRows();
    for (std::size_t row = at; row < at + end - begin; ++row) Q_EMIT runChanged(rows_[row].folder);
    at += end - begin;
    begin = end;
  }
}

void RunListModel::indexRows(std::size_t from) {
  for (std::size_t row = from; row < rows_.size(); ++row)
    rowOf_[rows_[row].folder] = static_cast<int>(row);
}

void RunListModel::countName(const ListedRun& run, int change) {
  Namesakes& namesakes = namesakes_[QString::fromStdString(app::nameOf(run))];
  namesakes.count += change;
  namesakes.perMinute[minuteOf(run.summary)] += change;
}

void RunListModel::setListingError(const QString& place, const QString& error) {
  if (error == listingErrors_.value(place)) return;
  listingErrors_[place] = error;
  if (error.isEmpty()) listingErrors_.remove(place);
  Q_EMIT listingErrorChanged();
}

QString RunListModel::listingError() const { return listingErrors_.values().join(u'\n'); }

void RunListModel::setRemoteRuns(const RemotePlace& place, const std::vector<ListedRun>& runs,
                                 qsizetype leftOut) {
  const bool isNew = !remoteRuns_.contains(place.address());
  RemoteRunsByAddress& known = remoteRuns_[place.address()];
  for (auto run = known.begin(); run != known.end();)
    run = rowOf(run.key()) < 0 ? known.erase(run) : std::next(run);
  const RunScan::Changes changes = updateListing(known, runs);
  setListingError(place.address(),
                  leftOut == 0 ? QString()
                               : tr("%1: only the newest %L2 of %Ln run(s) are listed. Open a "
                                    "smaller folder.",
                                    "", static_cast<int>(runs.size() + leftOut))
                                     .arg(place.address())
                                     .arg(runs.size()));
  applyChanges(changes);
  if (isNew) Q_EMIT placesChanged();
}

void RunListModel::setRemoteError(const RemotePlace& place, const QString& error) {
  setListingError(place.address(),
                  tr("%1: %2. It is tried again.")
                      .arg(place.address(), error.chopped(error.endsWith(u'.') ? 1 : 0)));
}

QString RunListModel::nameOf(const QString& folder) const {
  const int row = rowOf(folder);
  return row < 0 ? QFileInfo(folder).fileName()
                 : QString::fromStdString(app::nameOf(rows_[row].run));
}

QString RunListModel::listedName(int row) const {
  const QString name = QString::fromStdString(app::nameOf(rows_[row].run));
  const QString start = startTextOf(rows_[row]);
  return start.isEmpty() ? name : name + QStringLiteral(", ") + start;
}

QStringList RunListModel::namesOf(const QStringList& folders) const {
  QStringList names;
  for (const QString& folder : folders) names.append(nameOf(folder));
  const QStringList given = names, ownNames = distinctNames(folders);
  for (qsizetype i = 0; i < names.size(); ++i)
    if (given.count(given[i]) > 1) names[i] = ownNames[i];
  return names;
}

void RunListModel::makeDistinct(const QStringList& folders) {
  if (styles_.makeDistinct(folders)) announceStyles();
}

void RunListModel::setStyle(const QString& folder, int style) {
  styles_.choose(folder, style);
  announceStyles();
}

void RunListModel::announceStyles() {
  usedStyles_ = {};
  for (const Row& row : rows_)
    ++usedStyles_[static_cast<std::size_t>(styles_.find(row.folder).value_or(0))];
  Q_EMIT stylesChanged();
  if (!rows_.empty())
    Q_EMIT dataChanged(index(0), index(static_cast<int>(rows_.size()) - 1), {StyleIndexRole});
}

void RunListModel::setLive(const QString& folder, const base::OpenEnum<protocol::RunState>& state,
                           qint64 step, const std::optional<run_folder::Best>& best) {
  const int row = rowOf(folder);
  if (row < 0) return;
  run_folder::RunInfo& info = rows_[row].run.summary.info;
  const bool isBetter =
      best && (!info.best || info.best->step != best->step || info.best->metric != best->metric);
  if (info.step == step && info.state == state && !isBetter) return;
  const bool isStepOnly = info.state == state && !isBetter;
  if (isBetter) info.best = best;
  const run_folder::RunInfo before = info;
  info.state = state;
  info.step = step;
  info.updated = base::wallTimeSeconds();
  rows_[row].pace.update(before, info);
  Q_EMIT dataChanged(index(row), index(row), isStepOnly ? QList<int>{StepRole} : QList<int>());
}

void RunListModel::setNotes(const QString& folder, const run_folder::RunNotes& notes) {
  const int row = rowOf(folder);
  if (row < 0 || notes == rows_[row].run.notes) return;
  ListedRun run = rows_[row].run;
  run.notes = notes;
  run.notesFault.clear();
  const bool isRenamed = replaceRun(rows_[row], run);
  Q_EMIT dataChanged(index(row), index(row));
  Q_EMIT runChanged(folder);
  if (isRenamed) announceNames();
}

int RunListModel::rowOf(const QString& folder) const { return rowOf_.value(folder, -1); }

int RunListModel::styleIndexOf(const QString& folder) const {
  return styles_.find(folder).value_or(0);
}

}  // namespace lockstep::app
