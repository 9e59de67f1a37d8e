#include "app/models/run_list_model.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QLocale>
#include <QtConcurrentRun>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>

namespace lockstep::app {
namespace {

constexpr std::chrono::milliseconds kPollInterval{2000};

QString folderOf(const run_folder::RunSummary& summary) {
  return QDir::cleanPath(QString::fromStdString(summary.folder.string()));
}

std::string nameOf(const run_folder::RunSummary& summary) {
  return summary.info.name.empty() ? summary.folder.filename().string() : summary.info.name;
}

double minuteOf(const run_folder::RunSummary& summary) {
  return std::floor(summary.info.created / 60);
}

bool isSame(const run_folder::RunSummary& a, const run_folder::RunSummary& b) {
  const auto& x = a.info;
  const auto& y = b.info;
  auto best = [](const run_folder::RunInfo& info) {
    return info.best ? std::tuple(info.best->metric, info.best->value, info.best->step)
                     : std::tuple(std::string(), 0.0, std::int64_t{-1});
  };
  return std::tie(x.name, x.attempt, x.step, x.maxSteps, x.pid, x.socket) ==
             std::tie(y.name, y.attempt, y.step, y.maxSteps, y.pid, y.socket) &&
         x.state == y.state && best(x) == best(y) && a.alive == b.alive &&
         x.error.has_value() == y.error.has_value();
}

}  // namespace

/// Runs in a worker thread. `wasListed`: runs of the parent folder are in the list.
RunListModel::Listing RunListModel::listAll(const QString& parent, bool wasListed,
                                            const QStringList& singles) {
  Listing listing{parent, {}, {}};
  if (!parent.isEmpty() && QFileInfo::exists(parent)) {
    try {
      listing.runs = run_folder::listRuns(parent.toStdString());
    } catch (const std::exception& error) {
      listing.runs.clear();
      listing.error = QString::fromUtf8(error.what());
    }
  } else if (wasListed) {
    listing.error = tr("%1: no longer exists").arg(parent);
  }
  for (const QString& single : singles) {
    if (!QFileInfo::exists(single)) continue;
    const bool listed =
        std::any_of(listing.runs.begin(), listing.runs.end(),
                    [&](const run_folder::RunSummary& run) { return folderOf(run) == single; });
    if (!listed) listing.runs.push_back(run_folder::summarise(single.toStdString()));
  }
  return listing;
}

RunListModel::RunListModel(QObject* parent) : QAbstractListModel(parent) {
  connect(&watcher_, &QFutureWatcherBase::finished, this, [this] {
    applyListing(watcher_.result());
    if (std::exchange(again_, false)) refresh();
  });
  connect(&folders_, &QFileSystemWatcher::directoryChanged, this, &RunListModel::refresh);
  connect(&poll_, &QTimer::timeout, this, &RunListModel::refresh);
  poll_.start(kPollInterval);
}

RunListModel::~RunListModel() {
  watcher_.disconnect(this);
  watcher_.waitForFinished();
}

int RunListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant RunListModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = rows_[index.row()];
  const run_folder::RunInfo& info = row.summary.info;
  switch (role) {
    case Qt::DisplayRole:
    case NameRole:
      return QString::fromStdString(nameOf(row.summary));
    case Qt::ToolTipRole:
      return info.best ? tr("%1\nbest %2 %3 at step %4 (held-out images)")
                             .arg(row.folder, QString::fromStdString(info.best->metric))
                             .arg(info.best->value, 0, 'f', 3)
                             .arg(info.best->step)
                       : row.folder;
    case FolderRole:
      return row.folder;
    case Qt::AccessibleTextRole: {
      QStringList texts{QString::fromStdString(info.name), startTextOf(row),
                        QString::fromStdString(info.state.text())};
      texts.removeAll(QString());
      return texts.join(QStringLiteral(", "));
    }
    case StateRole:
      return QVariant::fromValue(info.state);
    case StateTextRole:
      return QString::fromStdString(info.state.text());
    case StepRole:
      return static_cast<qint64>(info.step);
    case MaxStepsRole:
      return static_cast<qint64>(info.maxSteps);
    case BestValueRole:
      return info.best ? QVariant(info.best->value) : QVariant();
    case BestMetricRole:
      return info.best ? QString::fromStdString(info.best->metric) : QString();
    case AliveRole:
      return row.summary.alive;
    case ErrorRole:
      return info.error ? QString::fromStdString(info.error->message) : QString();
    case StyleIndexRole:
      return styles_.find(row.folder).value_or(0);
    case CreatedRole:
      return info.created;
    case StartTextRole:
      return startTextOf(row);
    default:
      return {};
  }
}

/// With the seconds if two of these runs were started in the same minute.
QString RunListModel::startTextOf(const Row& row) const {
  const std::string name = nameOf(row.summary);
  bool isShared = false, isOfSameMinute = false;
  for (const Row& other : rows_) {
    if (&other == &row || nameOf(other.summary) != name) continue;
    isShared = true;
    isOfSameMinute = isOfSameMinute || minuteOf(other.summary) == minuteOf(row.summary);
  }
  if (!isShared || row.summary.info.created <= 0) return {};
  const QDateTime time =
      QDateTime::fromMSecsSinceEpoch(std::llround(row.summary.info.created * 1000));
  return QLocale(QLocale::English)
      .toString(time, isOfSameMinute ? QStringLiteral("d MMM, HH:mm:ss")
                                     : QStringLiteral("d MMM, HH:mm"));
}

void RunListModel::setParentFolder(const QString& folder) {
  if (!parentFolder_.isEmpty()) folders_.removePath(parentFolder_);
  parentFolder_ = QDir::cleanPath(QFileInfo(folder).absoluteFilePath());
  ++asked_;
  refresh();
}

void RunListModel::addRun(const QString& folder) {
  const QString path = QDir::cleanPath(QFileInfo(folder).absoluteFilePath());
  if (!singleRuns_.contains(path)) {
    singleRuns_.append(path);
    ++asked_;
  }
  refresh();
}

void RunListModel::refresh() {
  if (watcher_.isRunning()) {
    again_ = true;
    return;
  }
  watchFolders();
  reading_ = asked_;
  const bool wasListed = std::any_of(rows_.begin(), rows_.end(),
                                     [this](const Row& row) { return isUnderParent(row.folder); });
  watcher_.setFuture(
      QtConcurrent::run(&RunListModel::listAll, parentFolder_, wasListed, singleRuns_));
}

void RunListModel::watchFolders() {
  // A folder that does not exist yet is watched once it does.
  if (folders_.directories().isEmpty() && QFileInfo::exists(parentFolder_))
    folders_.addPath(parentFolder_);
}

bool RunListModel::isUnderParent(const QString& folder) const {
  return QFileInfo(folder).absolutePath() == parentFolder_;
}

void RunListModel::applyListing(Listing listing) {
  const std::size_t before = rows_.size();
  removeMissing(listing);
  bool hasOtherRows = rows_.size() != before;
  setListingError(listing.parentFolder == parentFolder_ ? listing.error : QString());
  // In the order of creation, so that colours do not depend on when the list was read.
  auto& found = listing.runs;
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tie(a.info.created, a.folder) < std::tie(b.info.created, b.folder);
  });
  const QStringList stylesBefore = styles_.kept();
  for (const run_folder::RunSummary& run : found) {
    const int row = rowOf(folderOf(run));
    if (row < 0) {
      insertRun(run);
      hasOtherRows = true;
    } else if (!isSame(rows_[row].summary, run)) {
      rows_[row].summary = run;
      Q_EMIT dataChanged(index(row), index(row));
      Q_EMIT runChanged(rows_[row].folder);
    }
  }
  if (hasOtherRows && !rows_.empty())  // names may be shared, or no longer be
    Q_EMIT dataChanged(index(0), index(static_cast<int>(rows_.size()) - 1), {StartTextRole});
  if (styles_.kept() != stylesBefore) Q_EMIT stylesChanged();
  const bool wasLoaded = isLoaded();
  listed_ = reading_;
  if (isLoaded() && !wasLoaded) Q_EMIT loaded();
}

/// If the folder could not be listed, its runs stay in the list.
void RunListModel::removeMissing(const Listing& listing) {
  QStringList vanished;
  for (int row = static_cast<int>(rows_.size()) - 1; row >= 0; --row) {
    const QString folder = rows_[row].folder;
    const bool there = std::any_of(listing.runs.begin(), listing.runs.end(),
                                   [&](const auto& run) { return folderOf(run) == folder; });
    const bool wasAskedFor = isUnderParent(folder) || singleRuns_.contains(folder);
    if (there || (!listing.error.isEmpty() && isUnderParent(folder))) continue;
    beginRemoveRows({}, row, row);
    rows_.erase(rows_.begin() + row);
    endRemoveRows();
    if (wasAskedFor) vanished.prepend(folder);
  }
  if (!vanished.isEmpty()) Q_EMIT runsVanished(vanished);
}

void RunListModel::setListingError(const QString& error) {
  if (error == listingError_) return;
  listingError_ = error;
  Q_EMIT listingErrorChanged();
}

std::vector<int> RunListModel::usedStyles() const {
  std::vector<int> used;
  for (const Row& row : rows_) used.push_back(styles_.find(row.folder).value_or(0));
  return used;
}

void RunListModel::insertRun(const run_folder::RunSummary& summary) {
  const auto at = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) {
    return row.summary.info.created < summary.info.created;
  });
  const int row = static_cast<int>(at - rows_.begin());
  styles_.assign(folderOf(summary), usedStyles());
  beginInsertRows({}, row, row);
  rows_.insert(at, {folderOf(summary), summary});
  endInsertRows();
  Q_EMIT runChanged(folderOf(summary));
}

QStringList RunListModel::namesOf(const QStringList& folders) const {
  QStringList names;
  for (const QString& folder : folders) {
    const int row = rowOf(folder);
    names.append(row < 0 ? QFileInfo(folder).fileName() : index(row).data(NameRole).toString());
  }
  const QStringList given = names;
  for (qsizetype i = 0; i < names.size(); ++i)
    if (given.count(given[i]) > 1) names[i] = QFileInfo(folders[i]).fileName();
  return names;
}

void RunListModel::makeDistinct(const QStringList& folders) {
  if (!styles_.makeDistinct(folders)) return;
  Q_EMIT stylesChanged();
  if (!rows_.empty())
    Q_EMIT dataChanged(index(0), index(static_cast<int>(rows_.size()) - 1), {StyleIndexRole});
}

void RunListModel::setLive(const QString& folder, const base::OpenEnum<protocol::RunState>& state,
                           qint64 step) {
  const int row = rowOf(folder);
  if (row < 0) return;
  run_folder::RunInfo& info = rows_[row].summary.info;
  if (info.step == step && info.state == state) return;
  info.state = state;
  info.step = step;
  Q_EMIT dataChanged(index(row), index(row));
}

int RunListModel::rowOf(const QString& folder) const {
  const auto at = std::find_if(rows_.begin(), rows_.end(),
                               [&](const Row& row) { return row.folder == folder; });
  return at == rows_.end() ? -1 : static_cast<int>(at - rows_.begin());
}

int RunListModel::styleIndexOf(const QString& folder) const {
  return styles_.find(folder).value_or(0);
}

}  // namespace lockstep::app
