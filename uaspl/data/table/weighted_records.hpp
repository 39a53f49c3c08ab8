// Reads records with weights: those of weight 0 are passed over, as if they were not in the file.
#pragma once

#include <string>

#include "uaspl/data/table/record_reader.hpp"

namespace uaspl {

class WeightedRecords final : public RecordReader {
 public:
  // Takes the weights from the column of this name. The reader must outlive this.
  WeightedRecords(RecordReader& records, const std::string& column);

  // Throws, with line and column, if the record's weight is no finite number from 0.
  bool next() override;
  void rewind() override;
  Extent extent() override;
  std::vector<std::string> notes() const override { return records_.notes(); }

  double weight() const { return weight_; }               // of the record; above 0
  std::size_t weightless() const { return weightless_; }  // records passed over since the start

 private:
  void read_weight();

  RecordReader& records_;
  std::size_t place_;
  double weight_ = 0.0;
  std::size_t weightless_ = 0;
};

}  // namespace uaspl
