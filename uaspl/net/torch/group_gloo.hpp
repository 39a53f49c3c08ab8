// The group of processes by Gloo, where libtorch has it.
#pragma once

#include <memory>

#include "uaspl/net/group.hpp"

namespace uaspl {

std::unique_ptr<Group> join_gloo(const GroupPlace& place);

}  // namespace uaspl
