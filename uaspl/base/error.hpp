// The one exception type for anything a user can cause: says where, what, and what was expected.
#pragma once

#include <stdexcept>
#include <string>

namespace uaspl {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What was asked for makes no sense, whatever the data.
class UsageError : public Error {
 public:
  using Error::Error;
};

// A name that is in no table; the message lists the candidates.
class UnknownName : public UsageError {
 public:
  using UsageError::UsageError;
};

}  // namespace uaspl
