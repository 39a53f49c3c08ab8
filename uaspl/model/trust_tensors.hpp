// The numbers of a committee's scalings and of the factor on the evidence, as tensors of a model
// file.
#pragma once

#include <cstddef>
#include <string>

#include "uaspl/data/table/rich_scaling.hpp"
#include "uaspl/io/safetensors.hpp"
#include "uaspl/trust/novelty.hpp"

namespace uaspl {

// `prefix` begins the names of the tensors.
void put_scaling(TensorFile& file, const std::string& prefix, const RichScaling& scaling);
void put_novelty(TensorFile& file, const std::string& prefix, const Novelty& novelty);

// Both take the tensors out of the file, and throw an Error if they cannot be what put_... wrote
// for so many inputs.
RichScaling take_scaling(TensorFile& file, const std::string& prefix, std::size_t inputs);
Novelty take_novelty(TensorFile& file, const std::string& prefix, std::size_t inputs,
                     std::vector<std::pair<std::size_t, std::size_t>> categories);

}  // namespace uaspl
