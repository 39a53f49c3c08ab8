// Downloads files over HTTP(S) with libcurl, which is only opened at the first download.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace uaspl::cli {

// Appends the missing bytes of `url` to `file`, so that a broken download goes on where it stopped.
// Returns an empty text, or what went wrong. `on_bytes(done, total)` may return false to stop.
std::string download(const std::string& url, const std::filesystem::path& file,
                     const std::function<bool(double done, double total)>& on_bytes);

// Returns a path segment with everything but letters, digits and -._~ written as %XX.
std::string url_escaped(std::string_view segment);

}  // namespace uaspl::cli
