#include "app/cards/run_groups.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockstep::app {
namespace {

struct RunGroupText {
  Q_DECLARE_TR_FUNCTIONS(MonitorPage)
};

QString groupName(const RunGroup& group) {
  const ShownRun& first = group.runs.front();
  if (group.runs.size() == 1) return first.name;
  const auto count = static_cast<int>(group.runs.size());
  return first.group.isEmpty() ? RunGroupText::tr("%n run(s)", "", count)
                               : RunGroupText::tr("%1 (%n run(s))", "", count).arg(first.group);
}

}  // namespace

std::vector<RunGroup> groupsOf(const std::vector<ShownRun>& runs, bool joins) {
  std::vector<RunGroup> groups;
  for (const ShownRun& shown : runs) {
    const auto own = std::ranges::find_if(groups, [&](const RunGroup& group) {
      return joins && group.runs.front().group == shown.group;
    });
    if (own == groups.end())
      groups.push_back({{}, shown.styleIndex, {shown}});
    else
      own->runs.push_back(shown);
  }
  for (RunGroup& group : groups) group.name = groupName(group);
  return groups;
}

}  // namespace lockstep::app
