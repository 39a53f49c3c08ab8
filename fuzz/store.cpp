// Hostile results stores: any bytes as a file, or a real store after any SQL; all formats of the
// report, and merging, work on it or refuse it. The first byte chooses.
#include <sqlite3.h>

#include <fstream>

#include "fuzz/support.hpp"
#include "tests/runs.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/report/csv.hpp"
#include "uaspl/report/html.hpp"
#include "uaspl/report/json.hpp"
#include "uaspl/report/latex.hpp"
#include "uaspl/report/markdown.hpp"
#include "uaspl/study/store.hpp"

namespace {

using namespace uaspl;
namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A small store as this program writes it, with one run whose samples are kept.
const std::string& real_store() {
  static const std::string kBytes = [] {
    const fs::path path = fuzz::scratch_folder() / "real.db";
    {
      Store store(path, Store::Open::kCreate);
      for (RunRecord run : testing::some_runs()) {
        if (run.key.method == "uaspl" && run.key.seed == 2) {
          run.parts = {true, true, true};
          for (int row = 0; row < 6; ++row)
            run.samples.push_back({.row = row, .loss = 0.5F, .weight = 1.0F, .selected = row < 3});
          run.classes = 2;
          run.class_names = R"(["no","yes"])";
          for (int row = 0; row < 4; ++row)
            run.predictions.push_back({row, row % 2, 1, 0.25F, {0.25F, 0.75F}});
          for (int pass = 0; pass < 3; ++pass)
            run.passes.push_back({.pass = pass, .loss = 0.5, .train_accuracy = 0.75});
        }
        store.add(run);
      }
    }
    return bytes_of(path);
  }();
  return kBytes;
}

// Runs any SQL on a file, with nothing of the protection that our own way to open it has.
void run_sql(const fs::path& path, const std::string& sql) {
  sqlite3* raw = nullptr;
  if (sqlite3_open(path.c_str(), &raw) == SQLITE_OK) {
    sqlite3_limit(raw, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_progress_handler(
        raw, 20000, [](void*) { return 1; }, nullptr);
    sqlite3_exec(raw, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", nullptr, nullptr,
                 nullptr);
    sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, nullptr);
  }
  sqlite3_close(raw);
}

// Formats that make many files are chosen less often, as they take far longer.
void report_in(std::uint8_t format, const fs::path& path) {
  Store store(path, Store::Open::kRead);
  const std::vector<RunRecord> runs = store.runs();
  const Report report = make_report(runs, store);
  switch (format % 16) {
    case 0: return write_csv_report(fuzz::scratch_folder() / "csv", report, store);
    case 1: return write_latex_report(fuzz::scratch_folder() / "latex", report);
    case 2: static_cast<void>(json_report(report.tables)); return;
    default: break;
  }
  if (format % 2 == 0)
    static_cast<void>(html_report(report, "fuzz"));
  else
    static_cast<void>(markdown_report(report));
}

void remove_store(const fs::path& path) {
  for (const char* ending : {"", "-journal", "-wal", "-shm"}) {
    std::error_code ignored;
    fs::remove(path.string() + ending, ignored);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const fs::path path = fuzz::scratch_folder() / "store.db";
  const fs::path target = fuzz::scratch_folder() / "target.db";
  remove_store(path);
  const std::string_view text = fuzz::text_of(bytes + 1, size - 1);
  const bool as_bytes = (bytes[0] & 1) != 0;
  std::ofstream(path, std::ios::binary) << (as_bytes ? text : std::string_view(real_store()));
  if (!as_bytes) run_sql(path, std::string(text));
  try {
    if ((bytes[0] & 2) == 0) {
      report_in(bytes[0] / 4, path);
    } else {
      remove_store(target);
      Store(target, Store::Open::kCreate).merge(path);
    }
  } catch (const Error&) {
  }
  return 0;
}
