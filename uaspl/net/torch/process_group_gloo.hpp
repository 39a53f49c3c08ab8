// Implements the group of processes by Gloo, if libtorch has it.
#pragma once

#include <memory>

#include "uaspl/net/process_group.hpp"

namespace uaspl {

std::unique_ptr<ProcessGroup> join_gloo(const ProcessPlace& place);

}  // namespace uaspl
