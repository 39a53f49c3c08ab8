// Reads records in every way that there is (from memory, in small pieces, twice), and checks that
// all of them see the same.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/base/error.hpp"
#include "uaspl/data/table/open_records.hpp"

namespace uaspl::testing {

using Strings = std::vector<std::string>;

// Hands out text a few bytes at a time.
class Drops final : public ByteSource {
 public:
  Drops(std::string_view text, std::size_t most) : text_(text), most_(most) {}
  std::size_t read(char* to, std::size_t room) override {
    const std::size_t count = std::min({most_, room, text_.size() - at_});
    if (count > 0) std::memcpy(to, text_.data() + at_, count);
    at_ += count;
    return count;
  }
  void rewind() override { at_ = 0; }

 private:
  std::string_view text_;
  std::size_t most_;
  std::size_t at_ = 0;
};

inline std::vector<Strings> all_of(RecordReader& reader) {
  std::vector<Strings> all;
  while (reader.next()) all.emplace_back(reader.cells().begin(), reader.cells().end());
  return all;
}

// The names of the columns and the records.
inline std::vector<Strings> records_of(std::string_view bytes, const TableFormat& format = {}) {
  Input input(bytes, "x");
  const auto reader = open_records(input, format);
  const auto all = all_of(*reader);
  const auto extent = reader->extent();
  const auto whole = [](const Strings& record) {
    return std::ranges::none_of(record, [](const std::string& cell) { return cell.empty(); });
  };
  EXPECT_LE(static_cast<std::size_t>(std::ranges::count_if(all, whole)), extent.records);
  EXPECT_EQ(all_of(*reader), all);
  for (const std::size_t most : {1, 7}) {
    Input drops(std::make_unique<Drops>(bytes, most), "x");
    const auto other = open_records(drops, format);
    EXPECT_EQ(other->columns(), reader->columns());
    EXPECT_EQ(all_of(*other), all);
  }
  std::vector<Strings> table{reader->columns()};
  table.insert(table.end(), all.begin(), all.end());
  return table;
}

// The message of what goes wrong.
inline std::string fault_of(std::string_view bytes, const TableFormat& format = {}) {
  std::string messages[2];
  for (const bool drops : {false, true}) {
    try {
      Input memory(bytes, "x");
      Input pieces(std::make_unique<Drops>(bytes, 3), "x");
      const auto reader = open_records(drops ? pieces : memory, format);
      while (reader->next()) continue;
      messages[drops] = "no error";
    } catch (const Error& error) {
      messages[drops] = error.what();
    }
  }
  EXPECT_EQ(messages[0], messages[1]);
  return messages[0];
}

}  // namespace uaspl::testing
