#include "app/models/run_list_model.h"

#include <QDir>
#include <QFileInfo>
#include <QtConcurrentRun>
#include <algorithm>
#include <chrono>

#include "engine/base/error.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::milliseconds kPollInterval{2000};

std::vector<run_folder::RunSummary> listAll(const QString& parent, const QStringList& singles) {
  std::vector<run_folder::RunSummary> found;
  if (!parent.isEmpty() && QFileInfo::exists(parent)) {
    try {
      found = run_folder::listRuns(parent.toStdString());
    } catch (const std::exception&) {
      found.clear();  // the folder went away meanwhile: no runs
    }
  }
  for (const QString& single : singles) {
    if (!QFileInfo::exists(single)) continue;
    const bool listed =
        std::any_of(found.begin(), found.end(), [&](const run_folder::RunSummary& run) {
          return QString::fromStdString(run.folder.string()) == single;
        });
    if (!listed) found.push_back(run_folder::summarise(single.toStdString()));
  }
  return found;
}

QString folderOf(const run_folder::RunSummary& summary) {
  return QDir::cleanPath(QString::fromStdString(summary.folder.string()));
}

bool isSame(const run_folder::RunSummary& a, const run_folder::RunSummary& b) {
  const auto& x = a.info;
  const auto& y = b.info;
  auto best = [](const run_folder::RunInfo& info) {
    return info.best ? std::tuple(info.best->metric, info.best->value, info.best->step)
                     : std::tuple(std::string(), 0.0, std::int64_t{-1});
  };
  return std::tie(x.name, x.state, x.attempt, x.step, x.maxSteps, x.pid, x.socket) ==
             std::tie(y.name, y.state, y.attempt, y.step, y.maxSteps, y.pid, y.socket) &&
         best(x) == best(y) && a.alive == b.alive && x.error.has_value() == y.error.has_value();
}

}  // namespace

RunListModel::RunListModel(QObject* parent) : QAbstractListModel(parent) {
  connect(&watcher_, &QFutureWatcherBase::finished, this, [this] {
    take(watcher_.result());
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
      return QString::fromStdString(info.name.empty() ? row.summary.folder.filename().string()
                                                      : info.name);
    case Qt::ToolTipRole:
    case FolderRole:
      return row.folder;
    case Qt::AccessibleTextRole:
      return QString(QString::fromStdString(info.name) + QStringLiteral(", ") +
                     QString::fromStdString(info.state));
    case StateRole:
      return QString::fromStdString(info.state);
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
      return row.styleIndex;
    case CreatedRole:
      return info.created;
    default:
      return {};
  }
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
  watcher_.setFuture(QtConcurrent::run(&listAll, parentFolder_, singleRuns_));
}

void RunListModel::watchFolders() {
  // Not there at first, it is watched from the moment it is.
  if (folders_.directories().isEmpty() && QFileInfo::exists(parentFolder_))
    folders_.addPath(parentFolder_);
}

void RunListModel::take(std::vector<run_folder::RunSummary> found) {
  for (int row = static_cast<int>(rows_.size()) - 1; row >= 0; --row) {
    const bool there = std::any_of(found.begin(), found.end(), [&](const auto& run) {
      return folderOf(run) == rows_[row].folder;
    });
    if (there) continue;
    beginRemoveRows({}, row, row);
    rows_.erase(rows_.begin() + row);
    endRemoveRows();
  }
  // What is there at first gets its colours from the newest on; what comes later goes on from
  // there.
  const bool first = rows_.empty();
  std::stable_sort(found.begin(), found.end(), [first](const auto& a, const auto& b) {
    return first ? a.info.created > b.info.created : a.info.created < b.info.created;
  });
  for (const run_folder::RunSummary& run : found) {
    const int row = rowOf(folderOf(run));
    if (row < 0) {
      insertRun(run);
    } else if (!isSame(rows_[row].summary, run)) {
      rows_[row].summary = run;
      Q_EMIT dataChanged(index(row), index(row));
      Q_EMIT runChanged(rows_[row].folder);
    }
  }
  const bool wasLoaded = isLoaded();
  listed_ = reading_;
  if (isLoaded() && !wasLoaded) Q_EMIT loaded();
}

void RunListModel::insertRun(const run_folder::RunSummary& summary) {
  const auto at = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) {
    return row.summary.info.created < summary.info.created;
  });
  const int row = static_cast<int>(at - rows_.begin());
  beginInsertRows({}, row, row);
  rows_.insert(at, {folderOf(summary), summary, nextStyle_++});
  endInsertRows();
  Q_EMIT runChanged(folderOf(summary));
}

void RunListModel::setLive(const QString& folder, const QString& state, qint64 step) {
  const int row = rowOf(folder);
  if (row < 0) return;
  run_folder::RunInfo& info = rows_[row].summary.info;
  if (info.step == step && QString::fromStdString(info.state) == state) return;
  info.state = state.toStdString();
  info.step = step;
  Q_EMIT dataChanged(index(row), index(row));
}

int RunListModel::rowOf(const QString& folder) const {
  const auto at = std::find_if(rows_.begin(), rows_.end(),
                               [&](const Row& row) { return row.folder == folder; });
  return at == rows_.end() ? -1 : static_cast<int>(at - rows_.begin());
}

int RunListModel::styleIndexOf(const QString& folder) const {
  const int row = rowOf(folder);
  return row < 0 ? 0 : rows_[row].styleIndex;
}

}  // namespace lockstep::app
