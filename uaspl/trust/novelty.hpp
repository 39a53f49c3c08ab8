// How well a row is known: a factor g in (0, 1] on its evidence, which falls with its distance from
// the rows of the training.
//
// A model keeps the centres of groups of at least five training rows, or the mean of all if there
// are fewer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

class Novelty {
 public:
  static constexpr std::size_t kSmallestGroup = 5;
  static constexpr double kPower = 4.0;

  // Plain data. Inputs are those that the columns of a table expand to, not scaled.
  struct Data {
    std::vector<double> mean = {};   // of each input
    std::vector<double> scale = {};  // 1 for those that stand for a level
    Matrix centres = {};             // of groups, scaled; at least one
    double unit = 1.0;               // a distance at which half of the evidence is left
    // The inputs of each category, from first to last + 1: they are all 0 for a level that was
    // never seen.
    std::vector<std::pair<std::size_t, std::size_t>> categories = {};
  };

  // Throws an Error if sizes do not fit or numbers are impossible.
  explicit Novelty(Data data);
  const Data& data() const { return data_; }

  // Returns g = 1 / (1 + (r / unit)^4), r the distance from the nearest centre, as the root of the
  // mean square over the inputs. A category without a level counts as the farthest of its levels:
  // the row is then never better known than with any of them.
  double known(std::span<const double> inputs) const;

 private:
  double squared_distance(std::span<const float> centre, std::span<const double> row,
                          std::span<const char> unseen) const;

  Data data_;
};

// Fits to rows of inputs; at most a few thousand of them are used. The unit is a distance that 99
// of 100 rows do not reach when their own part in their centre is taken away.
Novelty fit_novelty(const DoubleMatrix& rows, const std::vector<bool>& level,
                    std::vector<std::pair<std::size_t, std::size_t>> categories,
                    std::uint64_t seed);

}  // namespace uaspl
