// Erosion by a square is separable: along the columns it shortens each run; across them it
// intersects each window of adjacent columns. The columns are divided into blocks as long as the
// window; suffix intersections of one block and prefix intersections of the next are combined,
// which takes three intersections per column (van Herk 1992; Gil and Werman 1993).
#include "engine/coco/masks/boundary.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace lockstep::coco {
namespace {

/// Rows begin … end-1 of a column.
struct RowRun {
  int begin, end;
};
using RowRuns = std::span<const RowRun>;

void appendIntersection(RowRuns a, RowRuns b, std::vector<RowRun>& runs) {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const int begin = std::max(a[i].begin, b[j].begin), end = std::min(a[i].end, b[j].end);
    if (begin < end) runs.push_back({begin, end});
    ++(a[i].end < b[j].end ? i : j);
  }
}

/// The runs of adjacent columns, each in ascending order.
class Columns {
 public:
  explicit Columns(std::size_t expectedRuns) {
    runs_.reserve(expectedRuns);
    ends_.reserve(expectedRuns);
  }
  std::size_t size() const { return ends_.size(); }
  RowRuns operator[](std::size_t column) const {
    const std::size_t begin = column == 0 ? 0 : ends_[column - 1];
    return {runs_.data() + begin, ends_[column] - begin};
  }
  void clear() {
    runs_.clear();
    ends_.clear();
  }
  void addRun(RowRun run) { runs_.push_back(run); }
  void endColumn() { ends_.push_back(runs_.size()); }
  void addColumn(RowRuns runs) {
    runs_.insert(runs_.end(), runs.begin(), runs.end());
    endColumn();
  }
  /// Appends a column of other columns.
  void addIntersection(RowRuns a, RowRuns b) {
    appendIntersection(a, b, runs_);
    endColumn();
  }
  /// Appends the intersection of the last column and a column of other columns.
  void addIntersectionWithLast(RowRuns other) {
    const std::size_t most = runs_.size() + (*this)[size() - 1].size() + other.size();
    if (runs_.capacity() < most)
      runs_.reserve(2 * most);  // no reallocation while reading from runs_
    addIntersection((*this)[size() - 1], other);
  }

 private:
  std::vector<RowRun> runs_;
  std::vector<std::size_t> ends_;  ///< of each column in runs_
};

/// As forEachForegroundRun, but merges runs that are separated by an empty run of zeros.
template <typename Visit>
void forEachWholeRun(const Rle& mask, Visit visit) {
  std::uint64_t begin = 0, end = 0;
  forEachForegroundRun(mask, [&](std::uint64_t nextBegin, std::uint64_t nextEnd) {
    if (nextBegin != end) {
      if (begin < end) visit(begin, end);
      begin = nextBegin;
    }
    end = nextEnd;
  });
  if (begin < end) visit(begin, end);
}

/// The mask's columns within its box, each run shortened by depthPx at both ends.
Columns shortenedColumns(const Rle& mask, const PixelBox& box, int depthPx) {
  Columns columns(mask.counts.size() / 2 + static_cast<std::size_t>(box.x1 - box.x0));
  int column = box.x0;
  ColumnCursor cursor(mask.height);
  forEachWholeRun(mask, [&](std::uint64_t position, std::uint64_t end) {
    while (position < end) {
      cursor.seek(position);
      for (; column < cursor.column(); ++column) columns.endColumn();
      const int rows = static_cast<int>(std::min<std::uint64_t>(
          end - position, static_cast<std::uint64_t>(mask.height - cursor.row())));
      if (rows > 2 * depthPx) {
        columns.addRun({cursor.row() + depthPx, cursor.row() + rows - depthPx});
      }
      position += static_cast<std::uint64_t>(rows);
    }
  });
  columns.endColumn();
  return columns;
}

/// Column i of the result is the intersection of columns i … i+window-1.
Columns intersectWindows(const Columns& columns, std::size_t window) {
  Columns common(columns.size());
  Columns toBlockEnd(window);  // suffix intersections of a block, last column first
  std::vector<RowRun> fromBlockStart, wider;
  for (std::size_t start = 0; start + window <= columns.size(); start += window) {
    const std::size_t next = start + window;
    toBlockEnd.clear();
    toBlockEnd.addColumn(columns[next - 1]);
    for (std::size_t i = 2; i <= window; ++i) toBlockEnd.addIntersectionWithLast(columns[next - i]);
    common.addColumn(toBlockEnd[window - 1]);
    for (std::size_t i = 0; i + 1 < window && next + i < columns.size(); ++i) {
      wider.clear();
      appendIntersection(i == 0 ? columns[next] : RowRuns(fromBlockStart), columns[next + i],
                         wider);
      fromBlockStart.swap(wider);
      common.addIntersection(toBlockEnd[window - 2 - i], fromBlockStart);
    }
  }
  return common;
}

/// The mask without `inside`, whose runs lie within the mask's and whose first column is at
/// firstColumn.
Rle without(const Rle& mask, const Columns& inside, int firstColumn) {
  const auto height = static_cast<std::uint64_t>(mask.height);
  std::vector<std::uint64_t> flips;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const std::uint64_t columnStart = (static_cast<std::uint64_t>(firstColumn) + i) * height;
    for (const RowRun& run : inside[i]) {
      flips.push_back(columnStart + static_cast<std::uint64_t>(run.begin));
      flips.push_back(columnStart + static_cast<std::uint64_t>(run.end));
    }
  }
  RunWriter writer(mask.height, mask.width);
  std::size_t next = 0;
  forEachWholeRun(mask, [&](std::uint64_t begin, std::uint64_t end) {
    writer.flipAt(begin);
    for (; next < flips.size() && flips[next] < end; ++next) writer.flipAt(flips[next]);
    writer.flipAt(end);
  });
  return writer.finish();
}

}  // namespace

int boundaryDepthPx(int height, int width) {
  const double h = height, w = width;
  return std::max(1, static_cast<int>(std::nearbyint(.02 * std::sqrt(h * h + w * w))));
}

bool isAllBoundary(const PixelBox& box, int depthPx) {
  return std::min(box.x1 - box.x0, box.y1 - box.y0) <= 2 * depthPx;
}

Rle boundaryOf(const Rle& mask, int depthPx) {
  checkCounts(mask);
  const PixelBox box = boundingPixels(mask);
  if (isAllBoundary(box, depthPx)) return mask;
  const Columns inside = intersectWindows(shortenedColumns(mask, box, depthPx),
                                          static_cast<std::size_t>(2 * depthPx + 1));
  return without(mask, inside, box.x0 + depthPx);
}

}  // namespace lockstep::coco
