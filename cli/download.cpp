// Downloads files with libcurl, see download.hpp.
#include "cli/download.hpp"

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <system_error>

#include "uaspl/base/error.hpp"

namespace uaspl::cli {
namespace {

// The functions of the library that are needed.
struct Curl {
  decltype(&curl_easy_init) init;
  decltype(&curl_easy_setopt) setopt;
  decltype(&curl_easy_perform) perform;
  decltype(&curl_easy_getinfo) getinfo;
  decltype(&curl_easy_strerror) strerror;
  decltype(&curl_easy_cleanup) cleanup;
};

const Curl& curl() {
  static const Curl kLoaded = [] {
    void* library = ::dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) throw Error("downloads need libcurl (Debian: libcurl4), which was not found");
    const auto find = [&](const char* name) {
      void* symbol = ::dlsym(library, name);
      if (!symbol) throw Error(fmt::format("libcurl has no function {}", name));
      return symbol;
    };
    return Curl{reinterpret_cast<decltype(Curl::init)>(find("curl_easy_init")),
                reinterpret_cast<decltype(Curl::setopt)>(find("curl_easy_setopt")),
                reinterpret_cast<decltype(Curl::perform)>(find("curl_easy_perform")),
                reinterpret_cast<decltype(Curl::getinfo)>(find("curl_easy_getinfo")),
                reinterpret_cast<decltype(Curl::strerror)>(find("curl_easy_strerror")),
                reinterpret_cast<decltype(Curl::cleanup)>(find("curl_easy_cleanup"))};
  }();
  return kLoaded;
}

using OnBytes = std::function<bool(double, double)>;

struct Transfer {
  const OnBytes& on_bytes;
  std::FILE* file;
  double before;  // bytes of an earlier, broken download
};

std::size_t write_bytes(char* bytes, std::size_t size, std::size_t count, void* transfer) {
  return std::fwrite(bytes, size, count, static_cast<Transfer*>(transfer)->file);
}

int report_bytes(void* data, curl_off_t total, curl_off_t done, curl_off_t, curl_off_t) {
  const auto* transfer = static_cast<Transfer*>(data);
  const auto before = transfer->before;
  return transfer->on_bytes(before + static_cast<double>(done), before + static_cast<double>(total))
             ? 0
             : 1;
}

}  // namespace

std::string download(const std::string& url, const std::filesystem::path& path,
                     const OnBytes& on_bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "ab"),
                                                             std::fclose);
  if (!file) throw Error(fmt::format("{}: cannot be written", path.string()));
  const auto before = static_cast<curl_off_t>(std::filesystem::file_size(path));
  const std::unique_ptr<CURL, void (*)(CURL*)> handle(curl().init(), curl().cleanup);
  if (!handle) throw Error("libcurl could not be started");
  Transfer transfer{on_bytes, file.get(), static_cast<double>(before)};
  const auto set = [&](CURLoption option, auto value) {
    curl().setopt(handle.get(), option, value);
  };
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_FAILONERROR, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT, 20L);
  set(CURLOPT_LOW_SPEED_LIMIT, 10L);  // give up below so many bytes a second
  set(CURLOPT_LOW_SPEED_TIME, 30L);   // over so many seconds
  set(CURLOPT_RESUME_FROM_LARGE, before);
  set(CURLOPT_WRITEFUNCTION, write_bytes);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, report_bytes);
  set(CURLOPT_XFERINFODATA, static_cast<void*>(&transfer));
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_USERAGENT, "uaspl");
  const CURLcode code = curl().perform(handle.get());
  if (std::fflush(file.get()) != 0) throw Error(fmt::format("{}: writing failed", path.string()));
  if (code == CURLE_OK) return "";
  long status = 0;
  curl().getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
  return status >= 400 ? fmt::format("the server answered {}", status) : curl().strerror(code);
}

std::string url_escaped(std::string_view segment) {
  std::string text;
  for (const char c : segment) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    text += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

}  // namespace uaspl::cli
