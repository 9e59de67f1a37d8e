#include "engine/eval/shared_images.h"

#include <c10/util/Exception.h>

#include <algorithm>

#include "engine/base/error.h"

namespace lockstep::eval {
namespace {

/// Progress over all ranks' images, told from those of one.
Progress ofAllRanks(const Progress& progress, std::int64_t count, int ranks) {
  if (!progress || ranks == 1) return progress;
  return [=](std::int64_t done, std::int64_t) {
    progress(std::min<std::int64_t>(done * ranks, count), count);
  };
}

/// First byte of what a rank sends rank 0: its pack of figures, or its fault.
constexpr char kPack = 'p', kFault = 'f', kBadImage = 'b';

/// One rank's fault is every rank's, so that none waits for another.
void throwOnAllRanks(dist::World& world, const std::vector<std::string>& sent) {
  std::string fault;
  for (std::size_t rank = 0; rank < sent.size(); ++rank) {
    if (fault.empty() && sent[rank][0] != kPack)
      fault = sent[rank][0] + ("rank " + std::to_string(rank)) + ": " + sent[rank].substr(1);
  }
  fault = world.share(fault);
  if (fault.empty()) return;
  if (fault[0] == kBadImage) throw data::BadImage(fault.substr(1), {});
  throw Error(fault.substr(1));
}

/// This rank's share, as bytes for rank 0, or its fault.
std::string workOnShare(std::int64_t count, const ImageSharing& sharing,
                        const MakeImageWork& makeWork, const Progress& progress,
                        std::vector<ImageFigures>& figures) {
  const std::int64_t own = sharing.ownCount(count);
  try {
    const ImageWork work = makeWork();
    const auto workOn = [&](std::int64_t number) {
      const std::int64_t index = sharing.indexOfOwn(number);
      work(index, figures[index]);
    };
    forEachImage(own, sharing.threads, workOn, ofAllRanks(progress, count, sharing.ranks()));
    FigurePack pack;
    for (std::int64_t number = 0; sharing.rank() != 0 && number < own; ++number) {
      const std::int64_t index = sharing.indexOfOwn(number);
      pack.add(index, figures[index]);
    }
    return kPack + pack.bytes();
  } catch (const data::BadImage& image) {
    return kBadImage + std::string(image.what());
  } catch (const c10::Error& error) {
    return kFault + std::string(error.what_without_backtrace());
  } catch (const std::exception& error) {
    return kFault + std::string(error.what());
  }
}

}  // namespace

std::int64_t ImageSharing::ownCount(std::int64_t count) const {
  return (count - rank() + ranks() - 1) / ranks();
}

std::vector<ImageFigures> figuresOfImages(std::int64_t count, const ImageSharing& sharing,
                                          const MakeImageWork& makeWork, const Progress& progress) {
  std::vector<ImageFigures> figures(count);
  if (sharing.ranks() == 1) {
    const ImageWork work = makeWork();
    forEachImage(
        count, sharing.threads, [&](std::int64_t i) { work(i, figures[i]); }, progress);
    return figures;
  }
  const std::vector<std::string> all =
      sharing.world->gather(workOnShare(count, sharing, makeWork, progress, figures));
  throwOnAllRanks(*sharing.world, all);
  if (sharing.rank() != 0) return {};
  for (std::size_t other = 1; other < all.size(); ++other)
    unpackFigures(std::string_view(all[other]).substr(1), figures);
  return figures;
}

}  // namespace lockstep::eval
