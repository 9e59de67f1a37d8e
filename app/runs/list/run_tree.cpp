#include "app/runs/list/run_tree.h"

#include <QMimeData>
#include <algorithm>
#include <chrono>
#include <map>

#include "app/runs/list/run_list_model.h"

namespace lockstep::app {
namespace {

constexpr auto kQueueMimeType = "application/x-lockstep-queued-run";
constexpr std::chrono::milliseconds kArrangeChangedInterval{250};
/// Internal id of sections; runs have the number of theirs.
constexpr quintptr kSectionId = ~quintptr{0};

bool isWaiting(const QModelIndex& run) {
  return run.data(RunListModel::QueuePositionRole).isValid();
}

}  // namespace

RunTree::RunTree(RunListModel* runs, QObject* parent)
    : QAbstractItemModel(parent), runs_(runs), columns_(standardColumns()) {
  columns_.resize(1);
  sections_ = arrangement();
  arrange_.setSingleShot(true);
  arrangeChanged_.setSingleShot(true);
  arrangeChanged_.setInterval(kArrangeChangedInterval);
  for (QTimer* timer : {&arrange_, &arrangeChanged_})
    connect(timer, &QTimer::timeout, this, &RunTree::arrange);
  const auto soon = [this] { arrange_.start(0); };
  connect(runs_, &QAbstractItemModel::rowsInserted, this, soon);
  connect(runs_, &QAbstractItemModel::rowsRemoved, this, soon);
  connect(runs_, &QAbstractItemModel::modelReset, this, soon);
  connect(runs_, &QAbstractItemModel::dataChanged, this, &RunTree::passOn);
  arrange();
}

void RunTree::setFilter(Predicate filter) {
  filter_ = std::move(filter);
  arrange();
}

void RunTree::setGrouping(Grouping grouping) {
  grouping_ = std::move(grouping);
  arrange();
}

void RunTree::setColumns(std::vector<RunColumn> columns) {
  beginResetModel();
  columns_ = std::move(columns);
  endResetModel();
  Q_EMIT arranged();
}

void RunTree::sortBy(const QString& columnId, Qt::SortOrder order) {
  sorting_.reset();
  for (const auto* columns : {&standardColumns(), &columns()}) {
    const auto found = std::ranges::find(*columns, columnId, &RunColumn::id);
    if (found != columns->end()) sorting_ = *found;
  }
  sortOrder_ = order;
  arrange();
}

void RunTree::sort(int column, Qt::SortOrder order) {
  const bool isShown = column >= 0 && column < columnCount();
  sortBy(isShown ? columns_[static_cast<std::size_t>(column)].id : QString(), order);
}

void RunTree::sortRuns(QStringList& runs) const {
  struct Keyed {
    QVariant value;
    QString folder;
  };
  if (!sorting_) {
    std::stable_partition(runs.begin(), runs.end(), [this](const QString& folder) {
      return runs_->index(runs_->rowOf(folder)).data(RunListModel::PinnedRole).toBool();
    });
    return;
  }
  std::vector<Keyed> keyed;
  keyed.reserve(static_cast<std::size_t>(runs.size()));
  for (const QString& folder : runs)
    keyed.push_back({sorting_->value(runs_->index(runs_->rowOf(folder))), folder});
  std::ranges::stable_sort(keyed, [this](const Keyed& a, const Keyed& b) {
    const bool areBoth = a.value.isValid() && b.value.isValid();
    const int order = compareValues(a.value, b.value);
    return areBoth && sortOrder_ == Qt::DescendingOrder ? order > 0 : order < 0;
  });
  for (qsizetype i = 0; i < runs.size(); ++i) runs[i] = keyed[static_cast<std::size_t>(i)].folder;
}

std::vector<RunTree::Section> RunTree::arrangement() const {
  Section waiting{tr("Queue"), true, {}};
  const auto naturally = [](const QString& a, const QString& b) { return compareValues(a, b) < 0; };
  std::map<QString, QStringList, decltype(naturally)> groups(naturally);
  for (int row = 0; row < runs_->rowCount(); ++row) {
    const QModelIndex run = runs_->index(row);
    if (filter_ && !filter_(run)) continue;
    QStringList& section =
        isWaiting(run) ? waiting.runs : groups[grouping_ ? grouping_(run) : QString()];
    section.append(run.data(RunListModel::FolderRole).toString());
  }
  std::ranges::stable_sort(waiting.runs, {}, [this](const QString& folder) {
    return runs_->index(runs_->rowOf(folder)).data(RunListModel::QueuePositionRole).toInt();
  });
  std::vector<Section> sections;
  if (!waiting.runs.isEmpty()) sections.push_back(std::move(waiting));
  const bool hasTitles = grouping_ || !sections.empty();
  for (auto& [title, runs] : groups) {
    sortRuns(runs);
    const QString own = grouping_ ? title : tr("Runs");
    sections.push_back({hasTitles ? own : QString(), false, std::move(runs)});
  }
  if (sections.empty()) sections.emplace_back();
  return sections;
}

void RunTree::arrange() {
  arrange_.stop();
  arrangeChanged_.stop();
  std::vector<Section> next = arrangement();
  if (next == sections_) return;
  Q_EMIT layoutAboutToBeChanged();
  const QModelIndexList before = persistentIndexList();
  QStringList names;  // of runs their folders, of sections their titles
  for (const QModelIndex& index : before)
    names.append(isSection(index) ? sectionAt(index)->title : folderOf(index));
  const bool wasFlat = isFlat();
  sections_ = std::move(next);
  places_.clear();
  for (std::size_t section = 0; section < sections_.size(); ++section) {
    const QStringList& runs = sections_[section].runs;
    for (qsizetype row = 0; row < runs.size(); ++row)
      places_.insert(runs[row], {static_cast<int>(section), static_cast<int>(row)});
  }
  QModelIndexList after;
  for (qsizetype i = 0; i < before.size(); ++i) {
    const QModelIndex& old = before[i];
    if (!wasFlat && old.internalId() == kSectionId) {
      const auto found = std::ranges::find(sections_, names[i], &Section::title);
      const bool isThere = !isFlat() && found != sections_.end();
      after.append(isThere ? createIndex(static_cast<int>(found - sections_.begin()), old.column(),
                                         kSectionId)
                           : QModelIndex());
    } else {
      const auto place = places_.constFind(names[i]);
      after.append(place == places_.cend() ? QModelIndex() : runIndex(*place, old.column()));
    }
  }
  changePersistentIndexList(before, after);
  Q_EMIT layoutChanged();
  Q_EMIT arranged();
}

void RunTree::passOn(const QModelIndex& first, const QModelIndex& last, const QList<int>& roles) {
  const int lastColumn = columnCount() - 1;
  if (first.row() == last.row()) {
    const auto place = places_.constFind(first.data(RunListModel::FolderRole).toString());
    if (place != places_.cend())
      Q_EMIT dataChanged(runIndex(*place, 0), runIndex(*place, lastColumn), roles);
  } else {
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const int section = static_cast<int>(i), size = static_cast<int>(sections_[i].runs.size());
      if (size > 0)
        Q_EMIT dataChanged(runIndex({section, 0}, 0), runIndex({section, size - 1}, lastColumn),
                           roles);
    }
  }
  // A live run's steps come all the time: its place follows with the next listing.
  const bool isOnlyShown = !roles.isEmpty() && std::ranges::all_of(roles, [](int role) {
    return role == RunListModel::StepRole || role == RunListModel::StyleIndexRole ||
           role == RunListModel::StartTextRole;
  });
  if (!isOnlyShown) arrangeSoon();
}

void RunTree::arrangeSoon() {
  if (!arrangeChanged_.isActive()) arrangeChanged_.start();
}

QModelIndex RunTree::runIndex(const Place& place, int column) const {
  return createIndex(place.row, column, static_cast<quintptr>(place.section));
}

const RunTree::Section* RunTree::sectionAt(const QModelIndex& index) const {
  if (!index.isValid()) return nullptr;
  const std::size_t number = index.internalId() == kSectionId
                                 ? static_cast<std::size_t>(index.row())
                                 : static_cast<std::size_t>(index.internalId());
  return number < sections_.size() ? &sections_[number] : nullptr;
}

bool RunTree::isSection(const QModelIndex& index) const {
  return index.isValid() && index.internalId() == kSectionId;
}

QString RunTree::sectionTitle(const QModelIndex& index) const {
  return isSection(index) ? sectionAt(index)->title : QString();
}

QString RunTree::folderOf(const QModelIndex& index) const {
  const Section* section = sectionAt(index);
  return section && !isSection(index) ? section->runs.value(index.row()) : QString();
}

QModelIndex RunTree::sourceOf(const QModelIndex& index) const {
  const int row = runs_->rowOf(folderOf(index));
  return row < 0 ? QModelIndex() : runs_->index(row);
}

QModelIndex RunTree::indexOf(const QString& folder) const {
  const auto place = places_.constFind(folder);
  return place == places_.cend() ? QModelIndex() : runIndex(*place, 0);
}

QStringList RunTree::shownRuns() const {
  QStringList runs;
  for (const Section& section : sections_) runs += section.runs;
  return runs;
}

int RunTree::hiddenCount() const { return std::max(0, runs_->rowCount() - shownCount()); }

QModelIndex RunTree::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  if (parent.isValid()) return createIndex(row, column, static_cast<quintptr>(parent.row()));
  return createIndex(row, column, isFlat() ? quintptr{0} : kSectionId);
}

QModelIndex RunTree::parent(const QModelIndex& index) const {
  if (!index.isValid() || isSection(index) || isFlat()) return {};
  return createIndex(static_cast<int>(index.internalId()), 0, kSectionId);
}

int RunTree::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid())
    return static_cast<int>(isFlat() ? sections_.front().runs.size()
                                     : static_cast<qsizetype>(sections_.size()));
  if (!isSection(parent) || parent.column() != 0) return 0;
  return static_cast<int>(sectionAt(parent)->runs.size());
}

int RunTree::columnCount(const QModelIndex&) const { return static_cast<int>(columns_.size()); }

QVariant RunTree::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (isSection(index)) {
    const Section& section = *sectionAt(index);
    if (role == SectionSizeRole) return static_cast<int>(section.runs.size());
    if (role == Qt::AccessibleTextRole || (role == Qt::DisplayRole && index.column() == 0))
      return tr("%1 (%2)").arg(section.title).arg(section.runs.size());
    return {};
  }
  const QModelIndex run = sourceOf(index);
  if (!run.isValid() || role == SectionSizeRole) return {};
  if (role == InQueueRole) return sectionAt(index)->isQueue;
  if (role == Qt::EditRole) return run.data(RunListModel::NameRole);
  if (index.column() == 0 || role >= Qt::UserRole || role == Qt::ToolTipRole) return run.data(role);
  if (role != Qt::DisplayRole) return {};
  return columns_[static_cast<std::size_t>(index.column())].text(run);
}

bool RunTree::setData(const QModelIndex& index, const QVariant& value, int role) {
  const QString folder = folderOf(index);
  const QString name = value.toString().trimmed();
  if (role != Qt::EditRole || folder.isEmpty()) return false;
  if (name != index.data(RunListModel::NameRole).toString()) Q_EMIT renameRequested(folder, name);
  return true;
}

QVariant RunTree::headerData(int section, Qt::Orientation orientation, int role) const {
  const bool isColumn = orientation == Qt::Horizontal && section >= 0 && section < columnCount();
  if (!isColumn || role != Qt::DisplayRole) return {};
  return columns_[static_cast<std::size_t>(section)].title;
}

Qt::ItemFlags RunTree::flags(const QModelIndex& index) const {
  const Section* section = sectionAt(index);
  if (!section) return Qt::NoItemFlags;
  Qt::ItemFlags flags = Qt::ItemIsEnabled;
  if (isSection(index)) return section->isQueue ? flags | Qt::ItemIsDropEnabled : flags;
  flags |= Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
  if (index.column() == 0) flags |= Qt::ItemIsEditable;
  if (section->isQueue) flags |= Qt::ItemIsDragEnabled;
  return flags;
}

QStringList RunTree::mimeTypes() const { return {QString::fromLatin1(kQueueMimeType)}; }

QMimeData* RunTree::mimeData(const QModelIndexList& indexes) const {
  for (const QModelIndex& index : indexes) {
    if (index.column() != 0 || !index.data(InQueueRole).toBool()) continue;
    auto* data = new QMimeData;
    data->setData(QString::fromLatin1(kQueueMimeType), folderOf(index).toUtf8());
    return data;
  }
  return nullptr;
}

bool RunTree::canDropMimeData(const QMimeData* data, Qt::DropAction, int row, int,
                              const QModelIndex& parent) const {
  return data->hasFormat(QString::fromLatin1(kQueueMimeType)) && isSection(parent) &&
         sectionAt(parent)->isQueue && row >= 0;
}

/// The positions of runs in other folders lie between: the run takes that of the run before which
/// it was dropped.
bool RunTree::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                           const QModelIndex& parent) {
  if (!canDropMimeData(data, action, row, column, parent)) return false;
  const QString folder = QString::fromUtf8(data->data(QString::fromLatin1(kQueueMimeType)));
  const QModelIndex own = indexOf(folder);
  const QStringList& waiting = sectionAt(parent)->runs;
  if (own.parent() != parent.siblingAtColumn(0)) return false;  // it trains meanwhile
  const bool movesDown = row > own.row();
  const QString other = waiting.value(movesDown ? row - 1 : row);
  if (other == folder) return false;
  const QVariant position = runs_->index(runs_->rowOf(other)).data(RunListModel::QueuePositionRole);
  if (position.isValid()) Q_EMIT queueMoveRequested(folder, position.toInt());
  return false;  // the view must not remove the row: the list moves it once the queue has
}

}  // namespace lockstep::app
