// Messages as bytes, see messages.hpp. Each type lists its fields once, for both directions.
#include "uaspl/study/cluster/messages.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "uaspl/base/error.hpp"

namespace uaspl::messages {
namespace {

constexpr std::uint32_t kMark = 0x75617301;  // has another value in another byte order

template <typename Archive>
class Fields {
 public:
  template <typename... Values>
  void all(Values&... values) {
    (one(values), ...);
  }

 private:
  Archive& archive() { return static_cast<Archive&>(*this); }

  template <typename Number>
  std::enable_if_t<std::is_arithmetic_v<Number>> one(Number& number) {
    archive().raw(&number, sizeof number);
  }
  void one(bool& flag) {
    std::uint8_t byte = flag ? 1 : 0;
    one(byte);
    flag = byte != 0;
  }
  void one(std::string& text) {
    const std::size_t size = archive().resize(text);  // first, as it may move the text
    archive().raw(text.data(), size);
  }
  template <typename Value>
  void one(std::vector<Value>& values) {
    archive().resize(values);
    for (Value& value : values) one(value);
  }
  void one(std::pair<std::string, std::string>& pair) { all(pair.first, pair.second); }
  void one(Unit& u) { all(u.dataset, u.variant, u.run); }
  void one(Task& t) { all(t.unit, t.methods); }
  template <typename Record>
  void fields_of(Record& record) {
    visit_fields(record, [&](const char*, auto& field) { one(field); });
  }
  void one(StageRecord& s) { fields_of(s); }
  void one(SampleRecord& s) { fields_of(s); }
  void one(PredictionRecord& p) { fields_of(p); }
  void one(PassRecord& p) { fields_of(p); }
  void one(RunRecord& r) {
    fields_of(r);
    all(r.stages, r.samples, r.predictions, r.passes);
  }
  void one(Hello& m) { all(m.facts); }
  void one(Result& m) { all(m.unit, m.method, m.run); }
  void one(GiveBack& m) { all(m.unit); }
  void one(Bye& m) { all(m.error, m.interrupted); }
  void one(Hand& m) { all(m.task); }
  void one(Ask&) {}
  void one(NoMore&) {}
  void one(GiveUp&) {}
  void one(Quit& m) { all(m.code); }
};

class Writer : public Fields<Writer> {
 public:
  void raw(const void* data, std::size_t size) {
    if (size > 0) bytes.append(static_cast<const char*>(data), size);
  }
  template <typename Container>
  std::size_t resize(Container& values) {
    std::uint64_t size = values.size();
    all(size);
    return values.size();
  }
  std::string bytes;
};

class Reader : public Fields<Reader> {
 public:
  explicit Reader(std::string_view left) : left_(left) {}
  void raw(void* data, std::size_t size) {
    if (size > left_.size()) throw Error("a message between ranks is cut off");
    if (size > 0) std::memcpy(data, left_.data(), size);
    left_.remove_prefix(size);
  }
  template <typename Container>
  std::size_t resize(Container& values) {
    std::uint64_t size = 0;
    all(size);
    // Every element has at least one byte, so a wrong size cannot exhaust the memory.
    if (size > left_.size()) throw Error("a message between ranks is cut off");
    values.resize(static_cast<std::size_t>(size));
    return values.size();
  }
  bool done() const { return left_.empty(); }

 private:
  std::string_view left_;
};

template <std::size_t... Kinds>
Message make(std::uint8_t kind, std::index_sequence<Kinds...>) {
  Message message;
  if (!((kind == Kinds && (message.emplace<Kinds>(), true)) || ...))
    throw Error("a message between ranks is of no known kind");
  return message;
}

}  // namespace

std::string pack(const Message& message) {
  Writer writer;
  std::uint32_t mark = kMark;
  auto kind = static_cast<std::uint8_t>(message.index());
  writer.all(mark, kind);
  // Writing does not change the message; the cast is needed as reading uses the same lists of
  // fields.
  std::visit([&](auto& one) { writer.all(one); }, const_cast<Message&>(message));
  return std::move(writer.bytes);
}

Message unpack(std::string_view bytes) {
  Reader reader(bytes);
  std::uint32_t mark = 0;
  std::uint8_t kind = 0;
  reader.all(mark, kind);
  if (mark != kMark) throw Error("a message between ranks comes from another program or machine");
  Message message = make(kind, std::make_index_sequence<std::variant_size_v<Message>>());
  std::visit([&](auto& one) { reader.all(one); }, message);
  if (!reader.done()) throw Error("a message between ranks is too long");
  return message;
}

}  // namespace uaspl::messages
