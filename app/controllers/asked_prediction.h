#pragma once

#include <QString>
#include <optional>

#include "app/models/image_part.h"

namespace lockstep::app {

class EngineLink;

/// What an engine was asked to predict with the checkpoint of a step.
struct AskedPrediction {
  std::optional<qint64> image;  ///< nullopt: all images of the part
  qint64 step = 0;
  ImagePart part = ImagePart::HeldOut;
  QString file{};  ///< of the image; empty: it is a held-out one, which the engine knows by its id
  bool isExplanation = false;  ///< how the predictions of the image come about; with its id all
                               ///< parts are known
  bool operator==(const AskedPrediction&) const = default;
};

/// Asks for it. Returns the request's id; empty: not connected.
QString sendTo(EngineLink& link, const AskedPrediction& asked);

}  // namespace lockstep::app
