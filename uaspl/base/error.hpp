// The exception type for anything a user can cause: it says where the error is, what it is, and
// what was expected.
#pragma once

#include <stdexcept>
#include <string>

namespace uaspl {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown if the request makes no sense, whatever the data.
class UsageError : public Error {
 public:
  using Error::Error;
};

// Thrown if a name is unknown; the message lists the candidates.
class UnknownName : public UsageError {
 public:
  using UsageError::UsageError;
};

}  // namespace uaspl
