// Cells as they are written, and those that a spreadsheet would take for formulas.
#include "uaspl/data/table/csv_writer.hpp"

#include <utility>

#include "tests/support.hpp"
#include "uaspl/data/table/csv.hpp"

namespace uaspl {
namespace {

TEST(CsvWriter, QuotesWhereNecessary) {
  EXPECT_EQ(csv_cell("a b"), "a b");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("a \"b\"\n"), "\"a \"\"b\"\"\n\"");
}

TEST(CsvWriter, FormulasGetAQuoteInFront) {
  EXPECT_EQ(without_formulas("a,=1+1,+x,-x,@x,\tx\n"), "a,'=1+1,'+x,'-x,'@x,'\tx\n");
  EXPECT_EQ(without_formulas("\"=HYPERLINK(\"\"a\"\",1)\",\"\rx\"\n\"-1,5\""),
            "\"'=HYPERLINK(\"\"a\"\",1)\",\"'\rx\"\n\"'-1,5\"");
  EXPECT_EQ(without_formulas("=a\n=b\n"), "'=a\n'=b\n");
}

TEST(CsvWriter, NumbersAndOtherTextStay) {
  for (const char* text : {"", "\n", "a,b\n1,-1.5e-3\n+2,-inf\n", "\"a\n=b\",\"\"\"=x\"\n",
                           "x=1,a-b\n", ",,\n\"\",\"\""})
    EXPECT_EQ(without_formulas(text), text);
}

// Whatever is written reads again as it was, with at most the one character in front.
TEST(CsvWriter, AnyCellsReadAgain) {
  Stream stream(1, "cells");
  constexpr std::string_view kLetters = "=+-@\t\r\n,\"'a1. ";
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> cells(3);
    std::string line = "a,b,c\n";
    for (std::string& cell : cells) {
      for (std::size_t i = 1 + stream.below(6); i > 0; --i)
        cell += kLetters[stream.below(kLetters.size())];
      cell += ';';  // white space at the end of a cell without quotes would be cut
      line += csv_cell("\"" + cell) + (&cell == &cells.back() ? "\n" : ",");
    }
    std::string formulas = "a,b,c\n";
    for (const std::string& cell : cells)
      formulas += csv_cell("=" + cell) + (&cell == &cells.back() ? "\n" : ",");
    for (const auto& [text, front] :
         {std::pair{without_formulas(line), "\""}, std::pair{without_formulas(formulas), "'="}}) {
      Input input(text, "x");
      CsvReader reader(input, {.delimiter = ','});
      ASSERT_TRUE(reader.next());
      for (std::size_t i = 0; i < cells.size(); ++i)
        ASSERT_EQ(reader.cells()[i], front + cells[i]) << text;
    }
  }
}

}  // namespace
}  // namespace uaspl
