#include "app/runs/list/run_facts.h"

namespace lockstep::app {
namespace {

/// Few enough to be taken over within a frame, many enough for few signals.
constexpr std::size_t kBatch = 32;

}  // namespace

void RunFacts::want(const QStringList& folders) {
  for (const QString& folder : folders) {
    isForgotten_.remove(folder);
    if (isWaiting_.contains(folder)) continue;
    isWaiting_.insert(folder);
    waiting_.push_back(folder);
  }
  if (!reading_.isRunning()) startBatch();
}

const Facts* RunFacts::find(const QString& folder) const {
  const auto found = facts_.constFind(folder);
  return found == facts_.cend() ? nullptr : &found->facts;
}

void RunFacts::forget(const QStringList& folders) {
  for (const QString& folder : folders) {
    facts_.remove(folder);
    isWaiting_.remove(folder);
    std::erase(waiting_, folder);
    if (reading_.isRunning()) isForgotten_.insert(folder);
  }
}

void RunFacts::startBatch() {
  if (waiting_.empty()) return;
  std::vector<Read> batch;
  while (!waiting_.empty() && batch.size() < kBatch) {
    const QString folder = waiting_.front();
    waiting_.pop_front();
    isWaiting_.remove(folder);
    batch.push_back({folder, facts_.value(folder), !facts_.contains(folder)});
  }
  reading_ = jobs::start(
      this, jobs::Kind::Disk,
      [batch = std::move(batch), rarestTag = rarestTag_]() mutable {
        for (Read& read : batch) {
          VersionedFacts now = readFacts(read.folder.toStdString(), read.facts, rarestTag);
          read.isOther |= now.config != read.facts.config || now.metrics != read.facts.metrics ||
                          now.facts.fault != read.facts.facts.fault;
          read.facts = std::move(now);
        }
        return std::move(batch);
      },
      [this](std::vector<Read>&& read) {
        keepBatch(std::move(read));
        startBatch();
        if (!isReading()) Q_EMIT finished();
      });
}

void RunFacts::keepBatch(std::vector<Read> batch) {
  QStringList folders;
  for (Read& read : batch) {
    if (!read.isOther || isForgotten_.contains(read.folder)) continue;
    share(read.facts.facts);
    facts_[read.folder] = std::move(read.facts);
    folders.append(read.folder);
  }
  isForgotten_.clear();
  if (!folders.isEmpty()) Q_EMIT changed(folders);
}

QString RunFacts::shared(const QString& text) { return *texts_.insert(text); }

void RunFacts::share(Facts& facts) {
  auto& keys = keyLists_[*facts.configKeys];
  if (!keys) keys = facts.configKeys;
  facts.configKeys = keys;
  for (QString& value : facts.configValues) value = shared(value);
  for (auto& [tag, value] : facts.metrics) tag = shared(tag);
}

QStringList RunFacts::keys() const {
  QSet<QString> keys;
  QSet<const QStringList*> seen;
  const QString eval = QStringLiteral("eval/");
  for (const VersionedFacts& run : facts_) {
    if (!seen.contains(run.facts.configKeys.get())) {
      seen.insert(run.facts.configKeys.get());
      for (const QString& key : *run.facts.configKeys) keys.insert(key);
    }
    for (const auto& [tag, value] : run.facts.metrics) {
      keys.insert(tag);
      if (tag.startsWith(eval)) keys.insert(tag.mid(eval.size()));
    }
  }
  QStringList sorted(keys.begin(), keys.end());
  sorted.sort();
  return sorted;
}

QStringList RunFacts::differingKeys(const QStringList& folders) const {
  std::vector<const Facts*> runs;
  for (const QString& folder : folders)
    if (const Facts* facts = find(folder)) runs.push_back(facts);
  return app::differingKeys(runs);
}

}  // namespace lockstep::app
