#pragma once

#include <string>

namespace lockstep::serve {

/// page.html: drop an image, see its masks.
std::string pageHtml();

}  // namespace lockstep::serve
