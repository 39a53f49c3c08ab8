// Serves a meeting, see meeting_server.hpp.
#include "uaspl/net/meeting_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <system_error>
#include <utility>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace meeting {

Socket::~Socket() {
  if (is_open()) ::close(descriptor_);
}

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    if (is_open()) ::close(descriptor_);
    descriptor_ = other.release();
  }
  return *this;
}

void send_at_once(const Socket& socket) {
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int Socket::release() { return std::exchange(descriptor_, -1); }

}  // namespace meeting

namespace {

using meeting::Socket;

constexpr std::size_t kMostStrangers = 256;  // connections that have not said who they are
constexpr auto kIntroduction = std::chrono::seconds(10);  // they have so long for it

constexpr auto kLinger = std::chrono::seconds(5);  // ranks have so long to leave in the end

std::string reason(int number) { return std::generic_category().message(number); }

// Listens at the address of the place, and at no other of this machine.
Socket listen_at(const ProcessPlace& place) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(place.port);
  if (const int failed = ::getaddrinfo(place.address.c_str(), port.c_str(), &wanted, &found))
    throw Error(fmt::format("{}: no address: {}", place.address, ::gai_strerror(failed)));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, ::freeaddrinfo);
  int problem = 0;
  for (const addrinfo* one = found; one; one = one->ai_next) {
    Socket socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    if (socket.is_open() &&
        ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        ::bind(socket.get(), one->ai_addr, one->ai_addrlen) == 0 &&
        ::listen(socket.get(), SOMAXCONN) == 0)
      return socket;
    problem = errno;
  }
  throw Error(problem == EADDRNOTAVAIL
                  ? fmt::format("{} is no address of the machine of rank 0", place.address)
                  : fmt::format("cannot listen there: {}", reason(problem)));
}

template <typename Value>
void append(std::string& to, const Value& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename Value>
Value value_at(std::string_view bytes, std::size_t begin) {
  Value value;
  std::memcpy(&value, bytes.data() + begin, sizeof value);
  return value;
}

}  // namespace

Meeting::Server::Server(const ProcessPlace& place)
    : size_(place.size), listener_(listen_at(place)), here_(place.size) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) throw Error(reason(errno));
  wake_ = Socket(ends[0]);
  waker_ = Socket(ends[1]);
  thread_ = std::jthread([this] { serve(); });
}

Meeting::Server::~Server() {
  [[maybe_unused]] const auto written = ::write(waker_.get(), "x", 1);
  thread_.join();
}

std::string Meeting::Server::missing() const {
  const std::lock_guard lock(mutex_);
  const auto others = here_.begin() + 1;  // rank 0 itself may be leaving while it asks
  const auto count = std::count(others, here_.end(), false);
  const auto first = std::find(others, here_.end(), false) - here_.begin();
  if (count == 0) return "";
  return count == 1 ? fmt::format("rank {}", first)
                    : fmt::format("rank {} and {} more", first, count - 1);
}

void Meeting::Server::serve() {
  auto end = Clock::time_point::max();
  while ((listener_.is_open() || !connections_.empty()) && Clock::now() < end) {
    std::vector<pollfd> ready = {{wake_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    for (const auto& one : connections_)
      ready.push_back(
          {one->socket.get(), static_cast<short>(one->out.empty() ? POLLIN : POLLOUT), 0});
    if (::poll(ready.data(), ready.size(), 500) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i + 2 < ready.size(); ++i) {
      if (ready[i + 2].revents == 0) continue;
      Connection& one = *connections_[i];
      if (one.out.empty() ? receive(one) : send(one) && understand(one)) continue;
      leave(one);
      connections_[i].reset();
    }
    std::erase(connections_, nullptr);
    if (ready[0].revents != 0) {  // others may still have to read what was said last
      end = Clock::now() + kLinger;
      wake_ = Socket();
      listener_ = Socket();
    }
    if (listener_.is_open() && ready[1].revents != 0) accept_one();
    drop_strangers(Clock::now() - kIntroduction);
  }
}

void Meeting::Server::accept_one() {
  Socket socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  const bool full = !socket.is_open() && (errno == EMFILE || errno == ENFILE);
  const auto is_stranger = [](const auto& one) { return !one->rank; };
  const auto strangers = std::ranges::count_if(connections_, is_stranger);
  if (full || std::cmp_greater_equal(strangers, kMostStrangers)) {  // the oldest makes room
    const auto oldest = std::ranges::find_if(connections_, is_stranger);
    if (oldest != connections_.end()) connections_.erase(oldest);
  }
  if (!socket.is_open()) return;
  meeting::send_at_once(socket);
  auto one = std::make_unique<Connection>();
  one->socket = std::move(socket);
  connections_.push_back(std::move(one));
}

void Meeting::Server::drop_strangers(Clock::time_point since) {
  std::erase_if(connections_, [&](const auto& one) { return !one->rank && one->since < since; });
}

bool Meeting::Server::receive(Connection& from) {
  char bytes[1 << 16];
  const ssize_t got = ::recv(from.socket.get(), bytes, sizeof bytes, 0);
  if (got == 0) return false;
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  from.in.append(bytes, static_cast<std::size_t>(got));
  return understand(from);
}

// Does what was asked for completely. A rank that does not take its answers is asked no further.
bool Meeting::Server::understand(Connection& from) {
  std::size_t before = 0;
  do {
    before = from.in.size();
    if (!from.out.empty() || from.wanted) return from.in.size() <= meeting::kMostValue * 2;
    if (!(from.rank ? obey(from) : introduce(from))) return false;
  } while (!from.in.empty() && from.in.size() < before);
  return true;
}

bool Meeting::Server::introduce(Connection& from) {
  const std::string_view greeting = meeting::kGreeting;
  const std::size_t compared = std::min(from.in.size(), greeting.size());
  if (std::string_view(from.in).substr(0, compared) != greeting.substr(0, compared)) return false;
  const std::size_t whole = greeting.size() + sizeof(meeting::Introduction);
  if (from.in.size() < whole) return true;
  const auto own = value_at<meeting::Introduction>(from.in, greeting.size());
  from.in.erase(0, whole);
  from.out = meeting::kReply;
  using enum meeting::Welcome;
  if (own.size != size_ || own.rank >= size_ || here_[own.rank]) {
    append(from.out, own.size != size_ ? kOtherSize : kTaken);
    append(from.out, static_cast<std::uint32_t>(size_));
    send(from);
    return false;
  }
  append(from.out, kYes);
  append(from.out, static_cast<std::uint32_t>(size_));
  from.rank = own.rank;
  {
    const std::lock_guard lock(mutex_);
    here_[own.rank] = true;
  }
  if (std::ranges::all_of(here_, std::identity())) {
    listener_ = Socket();
    keep(std::string(meeting::kAllHere), "");
  }
  return send(from);
}

bool Meeting::Server::obey(Connection& from) {
  if (from.in.size() < sizeof(meeting::Message)) return true;
  const auto message = value_at<meeting::Message>(from.in, 0);
  if (message.key > meeting::kMostKey || message.value > meeting::kMostValue) return false;
  const std::size_t whole = sizeof message + message.key + message.value;
  if (from.in.size() < whole) return true;
  std::string key = from.in.substr(sizeof message, message.key);
  std::string value = from.in.substr(sizeof message + message.key, message.value);
  from.in.erase(0, whole);
  const auto found = kept_.find(key);
  switch (message.request) {
    case meeting::Request::kSet:
      if (bytes_ + whole > size_ * meeting::kMostValue) return false;
      keep(std::move(key), std::move(value));
      return true;
    case meeting::Request::kGet:
      if (found == kept_.end()) {
        from.wanted = std::move(key);
        return true;
      }
      answer(from, true, found->second);
      return send(from);
    case meeting::Request::kHas: answer(from, found != kept_.end(), ""); return send(from);
  }
  return false;
}

void Meeting::Server::answer(Connection& to, bool found, std::string_view value) {
  append(to.out, meeting::Answer{found ? 1U : 0U, static_cast<std::uint32_t>(value.size())});
  to.out += value;
}

// Keeps the value, and gives it to those that wait for it; what cannot be sent at once is sent
// later.
void Meeting::Server::keep(std::string key, std::string value) {
  bytes_ += sizeof(meeting::Message) + key.size() + value.size();
  const auto place = kept_.insert_or_assign(std::move(key), std::move(value)).first;
  for (const auto& one : connections_) {
    if (!one || one->wanted != place->first) continue;
    one->wanted.reset();
    answer(*one, true, place->second);
    send(*one);  // where it fails, reading from it will fail too
  }
}

bool Meeting::Server::send(Connection& to) {
  const ssize_t sent = ::send(to.socket.get(), to.out.data(), to.out.size(), MSG_NOSIGNAL);
  if (sent < 0) return errno == EINTR || errno == EAGAIN;
  to.out.erase(0, static_cast<std::size_t>(sent));
  return true;
}

// The place of a rank that went away before all had come is free again.
void Meeting::Server::leave(const Connection& from) {
  const std::lock_guard lock(mutex_);
  if (from.rank && listener_.is_open()) here_[*from.rank] = false;
}

}  // namespace uaspl
