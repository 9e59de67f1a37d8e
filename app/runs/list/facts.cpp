#include "app/runs/list/facts.h"

#include <QHash>
#include <QSet>
#include <algorithm>
#include <array>
#include <map>

#include "engine/base/error.h"
#include "engine/events/last_values.h"
#include "engine/events/tags.h"
#include "engine/foreign_runs/run_files.h"
#include "engine/foreign_runs/run_reader.h"
#include "engine/foreign_runs/run_summary.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;
namespace tags = events::tags;
using Metrics = std::map<QString, double>;

/// Of the end of our event logs: at first enough for most, then for those whose rarest tag, such
/// as an evaluation's, lies far back.
constexpr std::array<std::int64_t, 2> kTailBytes{256 << 10, 8 << 20};
/// Logs of other programs are read as a whole, up to this size.
constexpr std::int64_t kMostForeignBytes = 32 << 20;

/// Norms and means of single parameters, of which there are hundreds.
bool isOfOneParameter(const std::string& tag) {
  if (tag.starts_with(tags::kPartGradientNorms)) return false;
  return std::ranges::any_of(
      std::array{tags::kGradientNorms, tags::kGradientMeans, tags::kWeightNorms, tags::kWeightMeans,
                 tags::kUpdateRatios},
      [&](const char* prefix) { return tag.starts_with(prefix); });
}

Metrics lastMetrics(const fs::path& log, const char* rarestTag) {
  const std::int64_t whole = base::FileVersion::of(log).bytes;
  events::LastValues values;
  for (const std::int64_t bytes : kTailBytes) {
    values = events::readLastValues(log, bytes);
    if (values.contains(rarestTag) || bytes >= whole) break;
  }
  Metrics metrics;
  for (const auto& [tag, last] : values)
    if (!isOfOneParameter(tag)) metrics[QString::fromStdString(tag)] = last.value;
  return metrics;
}

Metrics lastMetrics(const foreign_runs::ForeignRun& run, std::int64_t bytes) {
  if (bytes > kMostForeignBytes)
    throw Error(run.folder.string() + ": its metrics are not read for the list: more than 32 MiB");
  Metrics metrics;
  foreign_runs::RunReader reader(run);
  const bool isRead = reader.visitAppended([&](const events::RecordView& record) {
    if (record.kind != events::Record::Kind::Scalars) return;
    for (const events::ScalarView& scalar : record.scalars)
      metrics[QString::fromStdString(reader.tags()[scalar.tag])] = scalar.value;
  });
  if (!isRead) throw Error(run.folder.string() + ": its files are being replaced");
  return metrics;
}

void setConfig(Facts& facts, const std::map<std::string, std::string>& parameters) {
  std::map<QString, QString> values;  // their order is another one
  for (const auto& [key, value] : parameters)
    values[QString::fromStdString(key)] = QString::fromStdString(value);
  QStringList keys;
  facts.configValues.clear();
  for (const auto& [key, value] : values) {
    keys.append(key);
    facts.configValues.append(value);
  }
  facts.configKeys = std::make_shared<const QStringList>(std::move(keys));
}

void setMetrics(Facts& facts, const Metrics& metrics) {
  facts.metrics.clear();
  facts.metrics.assign(metrics.begin(), metrics.end());
}

/// What a run's facts are read from.
struct Sources {
  std::vector<fs::path> config, metrics;
  std::function<std::map<std::string, std::string>()> readConfig;
  std::function<Metrics()> readMetrics;
};

Sources sourcesOf(const fs::path& folder, const char* rarestTag) {
  if (run_folder::isRunFolder(folder)) {
    const fs::path config = run_folder::Layout(folder).config();
    const fs::path log = events::findEventFile(folder);
    return {{config},
            {log},
            [config] { return foreign_runs::parametersInYaml(config); },
            [log, rarestTag] { return log.empty() ? Metrics() : lastMetrics(log, rarestTag); }};
  }
  const auto run = foreign_runs::runIn(folder);
  if (!run) throw Error(folder.string() + ": is not a run");
  const std::vector<fs::path> files = foreign_runs::filesOf(*run);
  // Only parametersOf() knows which files have the parameters: they are read with the others.
  return {files, files, [run] { return foreign_runs::parametersOf(*run); },
          [run, files] { return lastMetrics(*run, base::FileVersion::of(files).bytes); }};
}

template <typename Read>
void attempt(Facts& facts, const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    facts.fault = QString::fromStdString(error.what());
  }
}

}  // namespace

const QString* Facts::config(const QString& key) const {
  const auto found = std::lower_bound(configKeys->begin(), configKeys->end(), key);
  if (found == configKeys->end() || *found != key) return nullptr;
  return &configValues[found - configKeys->begin()];
}

std::optional<double> Facts::metric(const QString& tag) const {
  for (const QString& name : {tag, QString(QStringLiteral("eval/") + tag)}) {
    const auto found = std::lower_bound(
        metrics.begin(), metrics.end(), name,
        [](const auto& metric, const QString& wanted) { return metric.first < wanted; });
    if (found != metrics.end() && found->first == name) return found->second;
  }
  return std::nullopt;
}

VersionedFacts readFacts(const fs::path& runFolder, VersionedFacts known, const char* rarestTag) {
  attempt(known.facts, [&] {
    const Sources sources = sourcesOf(runFolder, rarestTag);
    const auto config = base::FileVersion::of(sources.config),
               metrics = base::FileVersion::of(sources.metrics);
    const bool isSame = config == known.config && metrics == known.metrics;
    if (isSame) return;
    known.facts.fault.clear();
    if (config != known.config)
      attempt(known.facts, [&] { setConfig(known.facts, sources.readConfig()); });
    if (metrics != known.metrics)
      attempt(known.facts, [&] { setMetrics(known.facts, sources.readMetrics()); });
    known.config = config;
    known.metrics = metrics;
  });
  return known;
}

QStringList differingKeys(const std::vector<const Facts*>& runs) {
  QHash<QString, QString> first;
  QSet<QString> differing;
  // Runs with the same keys are compared by position.
  QHash<const QStringList*, const Facts*> firstWithKeys;
  for (const Facts* run : runs) {
    const Facts*& like = firstWithKeys[run->configKeys.get()];
    const bool isFirst = like == nullptr;
    if (isFirst) like = run;
    for (qsizetype i = 0; i < run->configValues.size(); ++i) {
      const QString& key = (*run->configKeys)[i];
      const QString& value = run->configValues[i];
      if (isFirst) {
        const auto known = first.constFind(key);
        if (known == first.cend()) {
          first.insert(key, value);
        } else if (*known != value) {
          differing.insert(key);
        }
      } else if (like->configValues[i] != value) {
        differing.insert(key);
      }
    }
  }
  QStringList keys(differing.begin(), differing.end());
  keys.sort();
  return keys;
}

}  // namespace lockstep::app
