#pragma once

#include "Tape.hpp"

#include <algorithm>
#include <vector>

/// Finds what simdjson lets pass: a key that one object names twice (compared after unescaping), and an empty object or
/// array one level deeper than allowed.
class StrictCheck {
public:
  enum class Fault { none, duplicate_key, nested_too_deep };

  struct Finding {
    Fault fault;
    size_t index;
  };

  /// The first fault at or under the container at `index`, with the tape index of the repeated key or of the container.
  /// Recurses at most `nesting` deep. May throw `std::bad_alloc`.
  Finding find(const Tape &tape, size_t index, size_t nesting) {
    if (nesting == 0) return {Fault::nested_too_deep, index};
    const bool is_object = tape.tag(index) == '{';
    if (is_object) {
      if (const size_t key = repeated_key(tape, index)) return {Fault::duplicate_key, key};
    }
    const size_t last = tape.end(index) - 1;
    for (size_t child = index + 1; child < last; child = tape.after(child)) {
      if (is_object) child += 1;
      if (!tape.is_container(child)) continue;
      const Finding finding = find(tape, child, nesting - 1);
      if (finding.fault != Fault::none) return finding;
    }
    return {Fault::none, 0};
  }

private:
  /// Up to here comparing every pair is no slower than sorting; frames stay below.
  static constexpr size_t pairwise_limit = 32;

  std::vector<size_t> keys;
  /// What a key's text begins with, and its length: equal for equal keys, and rarely for others.
  std::vector<uint64_t> digests;

  /// simdjson's texts lie in a buffer that is padded, so that eight bytes can be read.
  static uint64_t digest(std::string_view text) {
    uint64_t start;
    std::memcpy(&start, text.data(), sizeof start);
    if (text.size() < sizeof start) start &= (uint64_t{1} << (8 * text.size())) - 1;
    return start ^ uint64_t{text.size()} << 56;
  }

  size_t repeated_key(const Tape &tape, size_t object) {
    keys.clear();
    digests.clear();
    const size_t last = tape.end(object) - 1;
    for (size_t key = object + 1; key < last; key = tape.after(key + 1)) {
      keys.push_back(key);
      digests.push_back(digest(tape.string(key)));
    }
    return keys.size() <= pairwise_limit ? repeated_by_pairs(tape) : repeated_by_sorting(tape);
  }

  size_t repeated_by_pairs(const Tape &tape) const {
    for (size_t right = 1; right < keys.size(); right += 1) {
      for (size_t left = 0; left < right; left += 1) {
        if (digests[left] == digests[right] && tape.string(keys[left]) == tape.string(keys[right])) return keys[right];
      }
    }
    return 0;
  }

  size_t repeated_by_sorting(const Tape &tape) {
    std::sort(keys.begin(), keys.end(), [&](size_t left, size_t right) {
      const int order = tape.string(left).compare(tape.string(right));
      return order < 0 || (order == 0 && left < right);
    });
    size_t first = 0;
    for (size_t next = 1; next < keys.size(); next += 1) {
      if (tape.string(keys[next - 1]) != tape.string(keys[next])) continue;
      first = first == 0 ? keys[next] : std::min(first, keys[next]);
    }
    return first;
  }
};
