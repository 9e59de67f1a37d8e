#include "engine/eval/sharded_images.h"

#include <c10/util/Exception.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/host.h"
#include "engine/dist/rank_error.h"

namespace lockstep::eval {
namespace {

using protocol::FailureCause;

/// Progress over all ranks' images, extrapolated from this rank's.
Progress ofAllRanks(const Progress& progress, std::int64_t count, int ranks) {
  if (!progress || ranks == 1) return progress;
  return [=](std::int64_t done, std::int64_t) {
    progress(std::min<std::int64_t>(done * ranks, count), count);
  };
}

/// First byte of what a rank sends to rank 0: its results, or an error.
constexpr char kResults = 'p', kError = 'f';

/// Throws the error of one rank on every rank, so that none waits for another.
void throwOnAllRanks(dist::World& world, const std::vector<std::string>& sent) {
  std::string error;
  for (const std::string& ofRank : sent)
    if (error.empty() && ofRank[0] == kError) error = ofRank.substr(1);
  error = world.broadcastBytes(error);
  if (!error.empty()) throw dist::decodeRankError(error);
}

/// This rank's results as bytes for rank 0, or its error.
std::string evaluateShard(std::int64_t count, const ImageSharding& sharding,
                          const MakeImageWork& makeWork, const Progress& progress,
                          std::vector<ImageResult>& results) {
  const std::int64_t own = sharding.ownCount(count);
  const auto sent = [&sharding](const std::string& message, FailureCause cause) {
    return kError + encode(dist::RankError(message, cause, sharding.rank(), base::hostName()));
  };
  try {
    const ImageWork work = makeWork();
    const auto workOn = [&](std::int64_t number) {
      const std::int64_t index = sharding.indexOfOwn(number);
      work(index, results[index]);
    };
    forEachImage(own, sharding.threads, workOn, ofAllRanks(progress, count, sharding.ranks()));
    ResultPack pack;
    for (std::int64_t number = 0; sharding.rank() != 0 && number < own; ++number) {
      const std::int64_t index = sharding.indexOfOwn(number);
      pack.add(index, results[index]);
    }
    return kResults + pack.bytes();
  } catch (const data::BadImage& image) {
    return sent(image.what(), FailureCause::BadImage);
  } catch (const c10::Error& error) {
    return sent(error.what_without_backtrace(), FailureCause::Error);
  } catch (const std::exception& error) {
    return sent(error.what(), FailureCause::Error);
  }
}

}  // namespace

std::int64_t ImageSharding::ownCount(std::int64_t count) const {
  return (count - rank() + ranks() - 1) / ranks();
}

std::vector<ImageResult> evaluateImages(std::int64_t count, const ImageSharding& sharding,
                                        const MakeImageWork& makeWork, const Progress& progress) {
  std::vector<ImageResult> results(count);
  if (sharding.ranks() == 1) {
    const ImageWork work = makeWork();
    forEachImage(
        count, sharding.threads, [&](std::int64_t i) { work(i, results[i]); }, progress);
    return results;
  }
  const std::vector<std::string> all =
      sharding.world->gather(evaluateShard(count, sharding, makeWork, progress, results));
  throwOnAllRanks(*sharding.world, all);
  if (sharding.rank() != 0) return {};
  for (std::size_t other = 1; other < all.size(); ++other)
    unpackResults(std::string_view(all[other]).substr(1), results);
  return results;
}

}  // namespace lockstep::eval
