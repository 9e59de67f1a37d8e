#include "app/models/run_styles.h"

#include <algorithm>
#include <array>
#include <set>

namespace lockstep::app {
namespace {

constexpr qsizetype kMaxKept = 2000;

int leastUsed(const std::vector<int>& used, const std::set<int>& excluded = {}) {
  std::array<int, RunStyles::kCount> counts{};
  for (const int style : used) ++counts[static_cast<std::size_t>(style)];
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
  return found == styles_.end() ? std::nullopt : std::optional(*found);
}

int RunStyles::assign(const QString& run, const std::vector<int>& others) {
  if (const auto own = find(run)) return *own;
  set(run, leastUsed(others));
  return styles_[run];
}

bool RunStyles::makeDistinct(const QStringList& shown) {
  std::set<int> taken;
  std::vector<int> all;
  for (const QString& run : shown)
    if (const auto style = find(run)) all.push_back(*style);
  bool changed = false;
  for (const QString& run : shown) {
    const auto style = find(run);
    if (!style || taken.insert(*style).second) continue;
    // Not the style of a later run in the list either, which would then have to change.
    std::set<int> used(all.begin(), all.end());
    used.insert(taken.begin(), taken.end());
    if (used.size() >= kCount) return changed;
    set(run, leastUsed(all, used));
    taken.insert(styles_[run]);
    changed = true;
  }
  return changed;
}

void RunStyles::set(const QString& run, int style) {
  order_.removeAll(run);
  order_.append(run);
  styles_[run] = style;
  if (order_.size() > kMaxKept) styles_.remove(order_.takeFirst());
}

QStringList RunStyles::kept() const {
  QStringList texts;
  for (const QString& run : order_)
    texts.append(QString::number(styles_[run]) + QLatin1Char(' ') + run);
  return texts;
}

void RunStyles::restore(const QStringList& kept) {
  for (const QString& text : kept) {
    const qsizetype space = text.indexOf(QLatin1Char(' '));
    bool isNumber = false;
    const int style = text.left(space).toInt(&isNumber);
    if (space > 0 && isNumber && style >= 0 && style < kCount) set(text.mid(space + 1), style);
  }
}

}  // namespace lockstep::app
