#include "CSimdJSON.h"

#include "StrictCheck.hpp"
#include "Tape.hpp"

#include <algorithm>
#include <charconv>
#include <new>
#include <utility>
#include <vector>

struct csimdjson_parser {
  simdjson::dom::parser parser;
  simdjson::ondemand::parser splitter;
  std::vector<uint8_t> padded;
  StrictCheck check;

  Tape tape() const { return Tape(parser.doc); }
};

namespace {

constexpr size_t maximum_length = 0xFFFFFF;
constexpr size_t minimum_capacity = 4096;
constexpr size_t recursion_limit = 1024;
static_assert(simdjson::SIMDJSON_PADDING <= csimdjson_padding);

csimdjson_status status_of(simdjson::error_code error) {
  switch (error) {
  case simdjson::SUCCESS: return csimdjson_success;
  case simdjson::MEMALLOC: return csimdjson_out_of_memory;
  case simdjson::CAPACITY: return csimdjson_too_large;
  case simdjson::DEPTH_ERROR: return csimdjson_nested_too_deep;
  case simdjson::UTF8_ERROR: return csimdjson_invalid_utf8;
  default: return csimdjson_malformed;
  }
}

/// `dom::parser::set_max_capacity` of 3.0 has its comparison the wrong way round, so capacity is set here.
simdjson::error_code prepare(simdjson::dom::parser &parser, size_t length, size_t depth) {
  const size_t capacity = std::max({length, parser.capacity(), minimum_capacity});
  if (capacity == parser.capacity() && depth == parser.max_depth()) return simdjson::SUCCESS;
  return parser.allocate(capacity, depth);
}

csimdjson_text text_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

} // namespace

csimdjson_parser *csimdjson_create(void) noexcept { return new (std::nothrow) csimdjson_parser; }

void csimdjson_destroy(csimdjson_parser *parser) noexcept { delete parser; }

csimdjson_status csimdjson_parse(
    csimdjson_parser *parser, const void *bytes, size_t length, int is_padded, size_t maximum_nesting,
    csimdjson_node *node) noexcept try {
  if (length > maximum_length) return csimdjson_too_large;
  // simdjson refuses what lies at level `max_depth` or deeper, and does not count empty objects and arrays.
  const size_t nesting = std::min(maximum_nesting, recursion_limit);
  if (const auto error = prepare(parser->parser, length, nesting + 1)) return status_of(error);
  if (const auto error = parser->parser.parse(static_cast<const uint8_t *>(bytes), length, !is_padded).error())
    return status_of(error);

  node->index = Tape::root;
  const Tape tape = parser->tape();
  if (!tape.is_container(Tape::root)) return csimdjson_success;
  const StrictCheck::Finding finding = parser->check.find(tape, Tape::root, nesting);
  if (finding.fault == StrictCheck::Fault::none) return csimdjson_success;
  node->index = finding.index;
  return finding.fault == StrictCheck::Fault::duplicate_key ? csimdjson_duplicate_key : csimdjson_nested_too_deep;
} catch (...) {
  return csimdjson_out_of_memory;
}

csimdjson_kind csimdjson_kind_of(const csimdjson_parser *parser, csimdjson_node node) noexcept {
  switch (parser->tape().tag(node.index)) {
  case '{': return csimdjson_object;
  case '[': return csimdjson_array;
  case '"': return csimdjson_string;
  case 'l': return csimdjson_signed;
  case 'u': return csimdjson_unsigned;
  case 'd': return csimdjson_double;
  case 't':
  case 'f': return csimdjson_boolean;
  default: return csimdjson_null;
  }
}

size_t csimdjson_count(const csimdjson_parser *parser, csimdjson_node container) noexcept {
  return parser->tape().count(container.index);
}

csimdjson_node csimdjson_first(csimdjson_node container) noexcept { return {container.index + 1}; }

csimdjson_node csimdjson_after(const csimdjson_parser *parser, csimdjson_node node) noexcept {
  return {parser->tape().after(node.index)};
}

int csimdjson_find(
    const csimdjson_parser *parser, csimdjson_node object, const uint8_t *key, size_t key_length,
    csimdjson_node *value) noexcept {
  const Tape tape = parser->tape();
  const std::string_view wanted(reinterpret_cast<const char *>(key), key_length);
  const size_t last = tape.end(object.index) - 1;
  for (size_t at = object.index + 1; at < last; at = tape.after(at + 1)) {
    if (tape.string(at) != wanted) continue;
    value->index = at + 1;
    return 1;
  }
  return 0;
}

csimdjson_text csimdjson_string_of(const csimdjson_parser *parser, csimdjson_node node) noexcept {
  return text_of(parser->tape().string(node.index));
}

int64_t csimdjson_signed_of(const csimdjson_parser *parser, csimdjson_node node) noexcept {
  return parser->tape().number<int64_t>(node.index);
}

double csimdjson_double_of(const csimdjson_parser *parser, csimdjson_node node) noexcept {
  return parser->tape().as_double(node.index);
}

int csimdjson_boolean_of(const csimdjson_parser *parser, csimdjson_node node) noexcept {
  return parser->tape().tag(node.index) == 't';
}

size_t csimdjson_copy_doubles(
    const csimdjson_parser *parser, csimdjson_node array, double *values, size_t capacity) noexcept {
  const Tape tape = parser->tape();
  const size_t last = tape.end(array.index) - 1;
  size_t count = 0;
  for (size_t at = array.index + 1; at < last && count < capacity && tape.is_number(at); at += 2) {
    values[count] = tape.as_double(at);
    count += 1;
  }
  return count;
}

size_t csimdjson_path(
    const csimdjson_parser *parser, csimdjson_node node, csimdjson_step *steps, size_t capacity) noexcept {
  const Tape tape = parser->tape();
  size_t count = 0;
  size_t container = Tape::root;
  while (count < capacity && tape.is_container(container) && node.index != container) {
    const bool is_object = tape.tag(container) == '{';
    size_t at = container + 1;
    size_t index = 0;
    const auto value = [&] { return is_object ? at + 1 : at; };
    for (; tape.after(value()) <= node.index; index += 1) at = tape.after(value());
    steps[count] = {is_object, is_object ? text_of(tape.string(at)) : csimdjson_text{tape.strings, 0}, index};
    count += 1;
    if (node.index == at) break;
    container = value();
  }
  return count;
}

namespace {

/// What `value` is, from its first byte to its last; nothing when its brackets do not match.
simdjson::error_code measure(simdjson::ondemand::value value, csimdjson_member &member, const uint8_t *text) {
  namespace ondemand = simdjson::ondemand;
  ondemand::json_type type;
  if (const auto error = value.type().get(type)) return error;
  std::string_view raw;
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return error;
    if (const auto error = object.raw_json().get(raw)) return error;
  } else if (type == ondemand::json_type::array) {
    ondemand::array array;
    if (const auto error = value.get_array().get(array)) return error;
    if (const auto error = array.raw_json().get(raw)) return error;
  } else {
    raw = value.raw_json_token();
    if (type == ondemand::json_type::string) {
      std::string_view string;
      if (const auto error = value.get_string().get(string)) return error;
      member.is_string = 1;
      member.string = text_of(string);
    }
  }
  while (!raw.empty() && static_cast<uint8_t>(raw.back()) <= 0x20) raw.remove_suffix(1);
  member.start = static_cast<size_t>(reinterpret_cast<const uint8_t *>(raw.data()) - text);
  member.length = raw.size();
  return simdjson::SUCCESS;
}

simdjson::error_code split(
    simdjson::ondemand::document &document, const uint8_t *text, const csimdjson_text *names, size_t count,
    csimdjson_member *members) {
  namespace ondemand = simdjson::ondemand;
  ondemand::object object;
  if (const auto error = document.get_object().get(object)) return error;
  for (auto result : object) {
    ondemand::field field;
    if (const auto error = std::move(result).get(field)) return error;
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    for (size_t index = 0; index < count; index += 1) {
      if (key != std::string_view(reinterpret_cast<const char *>(names[index].bytes), names[index].length)) continue;
      csimdjson_member member = {1, 0, 0, 0, {text, 0}};
      if (const auto error = measure(field.value(), member, text)) return error;
      members[index] = member;
      break;
    }
  }
  // At the end there is no location.
  return document.current_location().error() ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

} // namespace

int csimdjson_split(
    csimdjson_parser *parser, const void *bytes, size_t length, const csimdjson_text *names, size_t count,
    csimdjson_member *members, size_t *offset) noexcept try {
  for (size_t index = 0; index < count; index += 1) members[index] = {0, 0, 0, 0, text_of("")};
  *offset = 0;
  if (length == 0 || length > maximum_length) return 0;
  parser->padded.resize(std::max(parser->padded.size(), length + simdjson::SIMDJSON_PADDING));
  uint8_t *text = parser->padded.data();
  std::memcpy(text, bytes, length);
  std::memset(text + length, 0x20, simdjson::SIMDJSON_PADDING);
  simdjson::ondemand::document document;
  if (parser->splitter.iterate(text, length, parser->padded.size()).get(document)) return 0;
  if (!split(document, text, names, count, members)) return 1;
  const char *place = nullptr;
  if (!document.current_location().get(place)) *offset = static_cast<size_t>(reinterpret_cast<const uint8_t *>(place) - text);
  return 0;
} catch (...) {
  return 0;
}

int csimdjson_number(const void *bytes, size_t length, double *number) noexcept {
  const char *start = static_cast<const char *>(bytes);
  const auto [end, error] = std::from_chars(start, start + length, *number);
  return error == std::errc() && end == start + length;
}
