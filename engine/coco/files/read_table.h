#pragma once

#include <algorithm>
#include <vector>

#include "engine/base/parallel_for.h"
#include "engine/coco/files/json_document.h"

namespace lockstep::coco {

/// Reads every entry of a JSON array with `Entry take(RecordReader&)`, a share of them on each
/// thread of the machine, and then calls `report(index, element, fault)` in order for those with a
/// fault; they are left out.
template <typename Entry, typename Take, typename Report>
std::vector<Entry> readTable(simdjson::dom::array table, Take take, Report report) {
  constexpr std::size_t kShare = 512;
  const std::vector<simdjson::dom::element> elements(table.begin(), table.end());
  std::vector<Entry> entries(elements.size());
  std::vector<std::string> faults(elements.size());
  base::parallelFor((elements.size() + kShare - 1) / kShare, 0, [&](std::size_t share) {
    const std::size_t end = std::min((share + 1) * kShare, elements.size());
    for (std::size_t i = share * kShare; i < end; ++i) {
      RecordReader reader(elements[i]);
      entries[i] = take(reader);
      faults[i] = reader.fault();
    }
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (!faults[i].empty()) {
      report(i, elements[i], faults[i]);
    } else if (i != kept++) {
      entries[kept - 1] = std::move(entries[i]);
    }
  }
  entries.resize(kept);
  return entries;
}

}  // namespace lockstep::coco
