// Saves the state of parts of a run as numbers by name, so that the run can go on later. All are
// kept as doubles, which hold floats and counts exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <map>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "uaspl/base/error.hpp"
#include "uaspl/base/matrix.hpp"

namespace uaspl {

class SavedState {
 public:
  template <std::ranges::sized_range Range>
  void put(const std::string& name, const Range& values) {
    std::vector<double> kept;
    kept.reserve(std::ranges::size(values));
    for (const auto value : values) kept.push_back(static_cast<double>(value));
    const std::size_t size = kept.size();
    all_.insert_or_assign(name, DoubleMatrix(1, size, std::move(kept)));
  }
  void put(const std::string& name, DoubleMatrix values) {
    all_.insert_or_assign(name, std::move(values));
  }

  // Throws if `size` is given and the entry has another size: it then belongs to another run.
  template <typename T>
  std::vector<T> get(const std::string& name, std::size_t size = kAnySize) const {
    const std::span<const double> values = matrix(name).values();
    if (size != kAnySize && values.size() != size)
      throw Error("saved state: '" + name + "' has " + std::to_string(values.size()) +
                  " numbers, expected " + std::to_string(size));
    std::vector<T> found;
    found.reserve(values.size());
    for (const double value : values) found.push_back(as<T>(value));
    return found;
  }
  const DoubleMatrix& matrix(const std::string& name) const {
    const auto found = all_.find(name);
    if (found == all_.end()) throw Error("saved state: no entry '" + name + "'");
    return found->second;
  }
  // Throws if the entry has another shape, whatever the number of its values. The size is checked
  // where an entry is read because only its reader knows it.
  const DoubleMatrix& matrix(const std::string& name, std::size_t rows, std::size_t cols) const {
    const DoubleMatrix& found = matrix(name);
    expect_shape(name, found, rows, cols);
    return found;
  }
  static void expect_shape(const std::string& name, const DoubleMatrix& found, std::size_t rows,
                           std::size_t cols) {
    if (found.rows() != rows || found.cols() != cols)
      throw Error("saved state: '" + name + "' has " + std::to_string(found.rows()) + " x " +
                  std::to_string(found.cols()) + " numbers, expected " + std::to_string(rows) +
                  " x " + std::to_string(cols));
  }

  // Returns a single count, at most `most`.
  template <std::integral T>
  T count(const std::string& name, T most) const {
    const T found = get<T>(name, 1).front();
    if (found < 0 || found > most)
      throw Error("saved state: '" + name + "' is " + std::to_string(found) + ", expected 0 to " +
                  std::to_string(most));
    return found;
  }

  // Converts a saved number. Throws if it does not fit T, since no run writes such a number.
  template <typename T>
  static T as(double value) {
    if constexpr (std::is_integral_v<T>) {
      constexpr double kExact =
          9007199254740992.0;  // 2^53: doubles hold all whole numbers up to it
      const double most = std::min(kExact, static_cast<double>(std::numeric_limits<T>::max()));
      const double least = std::is_signed_v<T> ? -most : 0.0;
      if (!(value >= least && value <= most) || value != std::floor(value))
        throw Error("saved state: a number that is not a count");
    }
    return static_cast<T>(value);
  }

  const std::map<std::string, DoubleMatrix>& all() const { return all_; }

 private:
  static constexpr std::size_t kAnySize = static_cast<std::size_t>(-1);
  std::map<std::string, DoubleMatrix> all_;
};

}  // namespace uaspl
