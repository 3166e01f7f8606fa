#pragma once

#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include <cstring>
#include <string_view>

/// A parsed document as simdjson keeps it, a flat sequence of 64-bit words (its doc/tape.md): a tag in the top byte,
/// below it an offset or nothing; a number's value follows in a word of its own.
struct Tape {
  const uint64_t *words;
  const uint8_t *strings;

  explicit Tape(const simdjson::dom::document &document)
      : words(document.tape.get()), strings(document.string_buf.get()) {}

  /// Word 0 belongs to the document.
  static constexpr size_t root = 1;

  char tag(size_t index) const { return static_cast<char>(words[index] >> 56); }

  bool is_container(size_t index) const { return tag(index) == '{' || tag(index) == '['; }

  bool is_number(size_t index) const { return tag(index) == 'l' || tag(index) == 'u' || tag(index) == 'd'; }

  /// The word after the closing one of a container.
  size_t end(size_t index) const { return static_cast<uint32_t>(words[index]); }

  /// 24 bits, and they saturate: exact because no document is longer than 2^24 - 1 bytes.
  size_t count(size_t index) const { return (words[index] >> 32) & 0xFFFFFF; }

  size_t after(size_t index) const {
    if (is_number(index)) return index + 2;
    return is_container(index) ? end(index) : index + 1;
  }

  std::string_view string(size_t index) const {
    const uint8_t *at = strings + (words[index] & 0x00FFFFFFFFFFFFFF);
    uint32_t length;
    std::memcpy(&length, at, sizeof length);
    return {reinterpret_cast<const char *>(at + sizeof length), length};
  }

  template <typename Number> Number number(size_t index) const {
    static_assert(sizeof(Number) == sizeof(uint64_t));
    Number value;
    std::memcpy(&value, words + index + 1, sizeof value);
    return value;
  }

  double as_double(size_t index) const {
    switch (tag(index)) {
    case 'l': return static_cast<double>(number<int64_t>(index));
    case 'u': return static_cast<double>(number<uint64_t>(index));
    default: return number<double>(index);
    }
  }
};
