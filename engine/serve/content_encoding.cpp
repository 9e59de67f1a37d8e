#include "engine/serve/content_encoding.h"

#include <zlib.h>

#include <array>
#include <new>

#include "engine/base/shortened_text.h"
#include "engine/base/utf8.h"

namespace lockstep::serve {
namespace {

std::string encodingOf(const HttpRequest& request) {
  return base::lowerCase(request.header("content-encoding"));
}

/// A stream of zlib that reads both of its formats by their headers.
struct Inflation {
  Inflation() {
    constexpr int kLargestWindow = 15, kEitherFormat = 32;
    if (::inflateInit2(&stream, kLargestWindow + kEitherFormat) != Z_OK) throw std::bad_alloc();
  }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;
  ~Inflation() { ::inflateEnd(&stream); }
  z_stream stream{};
};

std::string inflated(std::string& compressed, std::size_t maxBytes) {
  Inflation inflation;
  z_stream& stream = inflation.stream;
  stream.next_in = reinterpret_cast<Bytef*>(compressed.data());
  stream.avail_in = static_cast<uInt>(compressed.size());
  std::string plain;
  std::array<char, 64 << 10> piece;
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = piece.size();
    status = ::inflate(&stream, Z_NO_FLUSH);
    plain.append(piece.data(), piece.size() - stream.avail_out);
    if (plain.size() > maxBytes)
      throw HttpError{
          413, "the decompressed body is larger than " + std::to_string(maxBytes) + " bytes"};
  }
  if (status != Z_STREAM_END || stream.avail_in > 0)
    throw HttpError{400, "Content-Encoding: the body is damaged or not compressed"};
  return plain;
}

}  // namespace

bool isEncoded(const HttpRequest& request) {
  const std::string encoding = encodingOf(request);
  return !encoding.empty() && encoding != "identity";
}

void decodeBody(HttpRequest& request, std::size_t maxBytes) {
  if (!isEncoded(request)) return;
  const std::string encoding = encodingOf(request);
  if (encoding != "gzip" && encoding != "x-gzip" && encoding != "deflate")
    throw HttpError{415, "Content-Encoding: " + base::shortened(encoding) +
                             " is not supported; send the body uncompressed or as gzip"};
  request.body = inflated(request.body, maxBytes);
}

}  // namespace lockstep::serve
