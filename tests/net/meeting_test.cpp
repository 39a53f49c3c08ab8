// Ranks that meet while others, who are none, connect as well; the ranks are threads here.
#include "uaspl/net/meeting.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "uaspl/base/error.hpp"
#include "uaspl/net/meeting_server.hpp"

namespace uaspl {
namespace {

using meeting::Socket;
using std::chrono::milliseconds;
using std::chrono::seconds;

sockaddr_in address(const char* text, std::uint16_t port) {
  sockaddr_in made{};
  made.sin_family = AF_INET;
  made.sin_port = htons(port);
  ::inet_pton(AF_INET, text, &made.sin_addr);
  return made;
}

Socket connected(const char* text, std::uint16_t port) {
  Socket socket(::socket(AF_INET, SOCK_STREAM, 0));
  const sockaddr_in to = address(text, port);
  const bool done = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  return done ? std::move(socket) : Socket();
}

// Returns a connection to a port where somebody will listen soon.
Socket stranger(std::uint16_t port) {
  while (true) {
    if (Socket socket = connected("127.0.0.1", port); socket.is_open()) return socket;
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void say(const Socket& socket, const std::string& text) {
  [[maybe_unused]] const auto sent = ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
}

// A port at which somebody else listens, or nobody if the socket is closed.
std::pair<Socket, std::uint16_t> listening() {
  Socket socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in own = address("127.0.0.1", 0);
  socklen_t size = sizeof own;
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&own), size), 0);
  EXPECT_EQ(::listen(socket.get(), 10), 0);
  EXPECT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size), 0);
  return {std::move(socket), ntohs(own.sin_port)};
}

std::uint16_t free_port() {
  const auto [socket, port] = listening();
  return port;
}

ProcessPlace place(std::size_t rank, std::size_t size, std::uint16_t port, double wait = 20.0) {
  return {.rank = rank, .size = size, .address = "127.0.0.1", .port = port, .seconds = wait};
}

void expect_error(const std::function<void()>& task, const std::string& text) {
  try {
    task();
    FAIL() << "no error, expected: " << text;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

// Lets the ranks meet, and each of them say a thing to the others.
void meet(std::size_t size, std::uint16_t port) {
  std::vector<std::jthread> threads;
  for (std::size_t rank = 0; rank < size; ++rank)
    threads.emplace_back([=] {
      Meeting meeting(place(rank, size, port));
      meeting.set("of " + std::to_string(rank), std::string(rank * 100'000, 'x'));
      for (std::size_t other = 0; other < size; ++other)
        EXPECT_EQ(meeting.get("of " + std::to_string(other), seconds(20)).size(), other * 100'000);
      EXPECT_TRUE(meeting.has("of 0"));
      EXPECT_FALSE(meeting.has("of nobody"));
      meeting.set("done " + std::to_string(rank), "");
      for (std::size_t other = 0; other < size; ++other)
        meeting.get("done " + std::to_string(other), seconds(20));
    });
}

std::string greeting(std::uint32_t rank, std::uint32_t size) {
  const meeting::Introduction own{rank, size};
  return std::string(meeting::kGreeting) +
         std::string(reinterpret_cast<const char*>(&own), sizeof own);
}

TEST(MeetingThreads, RanksReadWhatOthersSet) {
  for (const std::size_t size : {1U, 2U, 5U}) meet(size, free_port());
}

TEST(MeetingThreads, StrangersArePassedOver) {
  const std::uint16_t port = free_port();
  std::jthread ranks([&] {
    std::jthread first([&] {
      Meeting meeting(place(0, 2, port));
      EXPECT_EQ(meeting.get("word", seconds(20)), "here");
      meeting.set("done", "");
    });
    std::vector<Socket> open;
    for (int i = 0; i < 300; ++i) open.push_back(stranger(port));  // more than are kept
    say(open[299], "GET / HTTP/1.1\r\n\r\n");
    say(open[298], std::string(1 << 16, '\xff'));
    say(open[297], std::string(meeting::kGreeting.substr(0, 5)));  // and no more
    say(open[296], greeting(7, 2));
    say(open[295], greeting(1, 1'000'000));
    open[294] = Socket();
    open.clear();
    Meeting meeting(place(1, 2, port));
    meeting.set("word", "here");
    meeting.get("done", seconds(20));
  });
}

TEST(MeetingThreads, AMessageThatIsTooLongEndsItsConnection) {
  const std::uint16_t port = free_port();
  std::jthread first(
      [&] { expect_error([&] { Meeting meeting(place(0, 3, port, 1.0)); }, "rank 1 and 1 more"); });
  const Socket bad = stranger(port);
  const meeting::Message huge{meeting::Request::kSet, 0xFFFFFFFF, 0xFFFFFFFF};
  say(bad, greeting(1, 3) + std::string(reinterpret_cast<const char*>(&huge), sizeof huge));
  char byte = 0;
  while (::recv(bad.get(), &byte, 1, 0) > 0) {  // its reply, then the end
  }
}

TEST(MeetingThreads, OnlyTheGivenAddressListensAndOnlyUntilAllAreThere) {
  const std::uint16_t port = free_port();
  std::jthread first([&] {
    Meeting meeting(place(0, 2, port));
    EXPECT_FALSE(connected("127.0.0.1", port).is_open());
    meeting.set("looked", "");
    meeting.get("done", seconds(20));
  });
  static_cast<void>(stranger(port));
  EXPECT_FALSE(connected("127.0.0.2", port).is_open());
  Meeting meeting(place(1, 2, port));
  meeting.get("looked", seconds(20));
  meeting.set("done", "");
}

TEST(MeetingThreads, ErrorsSayWhatIsWrong) {
  const auto [socket, taken] = listening();
  const std::uint16_t port = free_port();
  expect_error([&] { Meeting(place(0, 2, port, 0.2)); }, "rank 1 did not come within 0.2 s");
  expect_error([&] { Meeting(place(0, 9, port, 0.2)); }, "rank 1 and 7 more did not come");
  expect_error([&] { Meeting(place(1, 2, port, 0.2)); }, "rank 0 did not answer within 0.2 s");
  expect_error([&, port = taken] { Meeting(place(0, 2, port, 0.2)); }, "cannot listen there");
  ProcessPlace elsewhere = place(0, 2, port, 0.2);
  elsewhere.address = "192.0.2.1";
  expect_error([&] { Meeting{elsewhere}; }, "192.0.2.1 is no address of the machine of rank 0");
  std::jthread other([&socket = socket] {
    const Socket one(::accept(socket.get(), nullptr, nullptr));
    say(one, "SSH-2.0-OpenSSH_9.2p1 Debian\r\n");
    char byte = 0;
    while (::recv(one.get(), &byte, 1, 0) > 0) {
    }
  });
  expect_error([&, port = taken] { Meeting(place(1, 2, port)); }, "is no rank 0 of a training");
}

TEST(MeetingThreads, RanksThatDoNotFitAreTold) {
  const std::uint16_t port = free_port();
  std::jthread first([&] { Meeting meeting(place(0, 3, port)); });
  expect_error([&] { Meeting(place(1, 2, port)); }, "rank 0 expects 3 ranks");
  std::jthread second([&] { Meeting meeting(place(1, 3, port)); });
  static_cast<void>(stranger(port));
  std::this_thread::sleep_for(milliseconds(50));
  expect_error([&] { Meeting(place(0, 3, port)); }, "cannot listen there");
  Meeting meeting(place(2, 3, port));
}

}  // namespace
}  // namespace uaspl
