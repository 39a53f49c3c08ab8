// Downloads files with libcurl, see download.hpp.
#include "cli/download.hpp"

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <string_view>

#include "uaspl/base/error.hpp"
#include "uaspl/base/module.hpp"

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
    void* library = open_library("libcurl.so.4");
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

// A transfer under way; what goes wrong in a function that libcurl calls is kept here.
struct Transfer {
  const OnBytes& on_bytes;
  KeptFile& part;
  std::uint64_t before;  // bytes of an earlier, broken download, if the rest is asked for
  std::uint64_t most;
  CURL* handle = nullptr;
  std::uint64_t received = 0;
  std::string range = {};  // what the server says that it sends
  Downloaded result = {};
  std::exception_ptr failed = {};
};

// Keeps the header that says which bytes follow; each answer has its own, also one that leads on.
std::size_t read_header(char* bytes, std::size_t size, std::size_t count, void* data) {
  auto& transfer = *static_cast<Transfer*>(data);
  const std::string_view line(bytes, size * count);
  constexpr std::string_view kRange = "content-range:";
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  if (line.starts_with("HTTP/")) transfer.range.clear();
  if (std::ranges::equal(line.substr(0, kRange.size()), kRange, {}, lower))
    transfer.range = line.substr(kRange.size());
  return line.size();
}

// Decides, before the first bytes are written, whether they go on from those that are there.
bool begin_writing(Transfer& transfer) {
  long status = 0;
  curl().getinfo(transfer.handle, CURLINFO_RESPONSE_CODE, &status);
  constexpr long kPartial = 206;
  if (status != kPartial) {  // the whole file: the server knows no ranges
    transfer.part.empty();
    transfer.before = 0;
    transfer.result.anew = true;
    return true;
  }
  const std::string expected = fmt::format("bytes {}-", transfer.before);
  const std::size_t begin = transfer.range.find_first_not_of(' ');
  if (transfer.before > 0 && begin != std::string::npos &&
      std::string_view(transfer.range).substr(begin).starts_with(expected))
    return true;
  transfer.result.problem = "the server sends other bytes than it was asked for";
  transfer.result.useless = true;
  return false;
}

std::size_t write_bytes(char* bytes, std::size_t size, std::size_t count, void* data) {
  auto& transfer = *static_cast<Transfer*>(data);
  const std::string_view piece(bytes, size * count);
  try {
    if (transfer.received == 0 && !begin_writing(transfer)) return 0;
    transfer.received += piece.size();
    if (transfer.before + transfer.received > transfer.most) {
      transfer.result.problem =
          fmt::format("the server sends more than the {} bytes that it may have", transfer.most);
      transfer.result.useless = true;
      return 0;
    }
    transfer.part.write(piece);
  } catch (...) {  // not through the frames of libcurl
    transfer.failed = std::current_exception();
    return 0;
  }
  return piece.size();
}

int report_bytes(void* data, curl_off_t total, curl_off_t done, curl_off_t, curl_off_t) {
  const auto& transfer = *static_cast<Transfer*>(data);
  const auto before = static_cast<double>(transfer.before);
  return transfer.on_bytes(before + static_cast<double>(done), before + static_cast<double>(total))
             ? 0
             : 1;
}

// Returns what libcurl says, if none of our own functions has said it already.
Downloaded outcome(const Transfer& transfer, CURLcode code) {
  Downloaded result = transfer.result;
  if (code == CURLE_OK || !result.problem.empty()) return result;
  long status = 0;
  curl().getinfo(transfer.handle, CURLINFO_RESPONSE_CODE, &status);
  constexpr long kNoSuchRange = 416;
  result.problem =
      status >= 400 ? fmt::format("the server answered {}", status) : curl().strerror(code);
  const bool rest = transfer.before > 0;
  result.useless = code == CURLE_FILESIZE_EXCEEDED || (status == kNoSuchRange && rest);
  result.refused = status >= 400 && !result.useless && rest;
  return result;
}

}  // namespace

Downloaded download(const std::string& url, KeptFile& part, Ask ask, std::uint64_t most,
                    const OnBytes& on_bytes) {
  const std::unique_ptr<CURL, void (*)(CURL*)> handle(curl().init(), curl().cleanup);
  if (!handle) throw Error("libcurl could not be started");
  const std::uint64_t before = ask == Ask::kRest ? part.size() : 0;
  Transfer transfer{.on_bytes = on_bytes, .part = part, .before = before, .most = most};
  transfer.handle = handle.get();
  const auto set = [&](CURLoption option, auto value) {
    if (curl().setopt(handle.get(), option, value) != CURLE_OK)
      throw Error("libcurl is too old, 7.85 is needed");
  };
  const std::string range = fmt::format("{}-", transfer.before);
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, 5L);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, url.starts_with("https:") ? "https" : "http,https");
  set(CURLOPT_FAILONERROR, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT, 20L);
  set(CURLOPT_LOW_SPEED_LIMIT, 10L);  // give up below so many bytes a second
  set(CURLOPT_LOW_SPEED_TIME, 30L);   // over so many seconds
  set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(most));
  if (transfer.before > 0) set(CURLOPT_RANGE, range.c_str());
  set(CURLOPT_HEADERFUNCTION, read_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
  set(CURLOPT_WRITEFUNCTION, write_bytes);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, report_bytes);
  set(CURLOPT_XFERINFODATA, static_cast<void*>(&transfer));
  set(CURLOPT_USERAGENT, "uaspl");
  const CURLcode code = curl().perform(handle.get());
  if (transfer.failed) std::rethrow_exception(transfer.failed);
  return outcome(transfer, code);
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
