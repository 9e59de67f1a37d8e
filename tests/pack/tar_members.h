#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace lockstep::tests {

/// A member of a tar: POSIX.1-1988 (ustar).
struct TarMember {
  std::string name;
  std::string content{};
  char type = '0';  ///< a file; '1': a hard link, '2': a symlink, '5': a folder
  std::string link{};
  std::uint64_t size = UINT64_MAX;  ///< that the header says; UINT64_MAX: of the content
};

inline std::string tarHeader(const TarMember& member) {
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) {
    std::memcpy(header.data() + at, text.data(), text.size());
  };
  const auto octal = [](std::uint64_t value, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%0*llo", digits, static_cast<unsigned long long>(value));
    return std::string(text);
  };
  put(0, member.name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, octal(member.size == UINT64_MAX ? member.content.size() : member.size, 11));
  put(136, octal(1700000000, 11));
  put(148, "        ");
  header[156] = member.type;
  put(157, member.link);
  put(257, std::string("ustar\0", 6) + "00");
  unsigned sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  put(148, octal(sum, 6) + std::string("\0 ", 2));
  return header;
}

inline std::string tarOf(const std::vector<TarMember>& members) {
  std::string tar;
  for (const TarMember& member : members) {
    tar += tarHeader(member) + member.content;
    tar.resize((tar.size() + 511) / 512 * 512, '\0');
  }
  return tar + std::string(1024, '\0');
}

/// The members of a tar of files, as its headers say.
inline std::vector<TarMember> membersOf(const std::string& tar) {
  std::vector<TarMember> members;
  for (std::size_t at = 0; at + 512 <= tar.size() && tar[at] != '\0';) {
    const std::size_t size = std::stoull(tar.substr(at + 124, 12), nullptr, 8);
    members.push_back({tar.substr(at, 100).c_str(), tar.substr(at + 512, size), tar[at + 156]});
    at += 512 + (size + 511) / 512 * 512;
  }
  return members;
}

}  // namespace lockstep::tests
