// Downloads files over HTTP(S) with libcurl, which is only opened at the first download.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "uaspl/io/file.hpp"

namespace uaspl::cli {

// What came of a download: the file has all bytes if there is no problem.
struct Downloaded {
  std::string problem = {};
  bool anew = false;     // the server sent the file from its beginning
  bool useless = false;  // the bytes cannot be the beginning of the file: begin anew
  bool refused = false;  // the server answered with an error when it was asked for the rest
};

enum class Ask { kRest, kWhole };  // the bytes that the part lacks, or all of the file

// Appends the missing bytes of `url` to the part of a broken download; begins anew where the server
// gives no ranges, or if asked for the whole: the part stays until its first bytes come. Stops once
// the file would have more than `most` bytes. `on_bytes(done, total)` may return false to stop.
// Throws where the part cannot be written.
Downloaded download(const std::string& url, KeptFile& part, Ask ask, std::uint64_t most,
                    const std::function<bool(double done, double total)>& on_bytes);

// Returns a path segment with everything but letters, digits and -._~ written as %XX.
std::string url_escaped(std::string_view segment);

}  // namespace uaspl::cli
