#include "app/runs/list/run_styles.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace lockstep::app {
namespace {

constexpr auto kChosen = "!";  ///< behind the number of a style in the settings

constexpr std::size_t kMaxStyledRuns = 2000;

int leastUsed(const RunStyles::Counts& counts, const std::set<int>& excluded = {}) {
  int least = -1;
  for (int style = 0; style < RunStyles::kCount; ++style) {
    if (excluded.contains(style)) continue;
    if (least < 0 ||
        counts[static_cast<std::size_t>(style)] < counts[static_cast<std::size_t>(least)])
      least = style;
  }
  return least;
}

}  // namespace

std::optional<int> RunStyles::find(const QString& run) const {
  const auto found = styles_.find(run);
  return found == styles_.end() ? std::nullopt : std::optional(found->index);
}

int RunStyles::assign(const QString& run, const Counts& others) {
  if (const auto own = find(run)) return *own;
  set(run, leastUsed(others));
  return styles_[run].index;
}

bool RunStyles::makeDistinct(const QStringList& shown) {
  std::set<int> taken, all;
  Counts counts{};
  for (const QString& run : shown) {
    if (const auto style = find(run)) {
      all.insert(*style);
      ++counts[static_cast<std::size_t>(*style)];
    }
  }
  bool changed = false;
  for (const QString& run : shown)
    if (const auto style = styles_.constFind(run); style != styles_.cend() && style->isChosen)
      taken.insert(style->index);
  for (const QString& run : shown) {
    const auto style = find(run);
    if (!style || styles_[run].isChosen || taken.insert(*style).second) continue;
    // Not the style of a later run in the list either, which would then have to change.
    std::set<int> used = all;
    used.insert(taken.begin(), taken.end());
    if (used.size() >= kCount) return changed;
    set(run, leastUsed(counts, used));
    taken.insert(styles_[run].index);
    changed = true;
  }
  return changed;
}

void RunStyles::choose(const QString& run, int style) { set(run, style, true); }

void RunStyles::set(const QString& run, int style, bool isChosen) {
  styles_[run] = {style, ++lastStamp_, isChosen};
}

QStringList RunStyles::kept() const {
  std::vector<std::pair<quint64, QString>> newest;
  newest.reserve(static_cast<std::size_t>(styles_.size()));
  for (auto style = styles_.begin(); style != styles_.end(); ++style)
    newest.emplace_back(style->stamp, QString::number(style->index) +
                                          QLatin1String(style->isChosen ? kChosen : "") + u' ' +
                                          style.key());
  std::sort(newest.begin(), newest.end());
  const std::size_t dropped = newest.size() > kMaxStyledRuns ? newest.size() - kMaxStyledRuns : 0;
  QStringList texts;
  for (std::size_t i = dropped; i < newest.size(); ++i) texts.append(newest[i].second);
  return texts;
}

void RunStyles::restore(const QStringList& kept) {
  for (const QString& text : kept) {
    const qsizetype space = text.indexOf(QLatin1Char(' '));
    bool isNumber = false;
    QString number = text.left(space);
    const bool isChosen = number.endsWith(QLatin1String(kChosen));
    if (isChosen) number.chop(1);
    const int style = number.toInt(&isNumber);
    if (space > 0 && isNumber && style >= 0 && style < kCount)
      set(text.mid(space + 1), style, isChosen);
  }
}

}  // namespace lockstep::app
