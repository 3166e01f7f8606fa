#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define CSIMDJSON_NOEXCEPT noexcept
#else
#define CSIMDJSON_NOEXCEPT
#endif

/// A simdjson parser and the one document it parsed last. Not thread safe.
typedef struct csimdjson_parser csimdjson_parser;

/// A value, or a key, of the document parsed last. Void from the next parse on.
typedef struct csimdjson_node {
  /// Where it stands on simdjson's tape.
  size_t index;
} csimdjson_node;

/// What became of a parse.
typedef enum csimdjson_status {
  csimdjson_success,
  csimdjson_out_of_memory,
  csimdjson_too_large,
  csimdjson_nested_too_deep,
  csimdjson_invalid_utf8,
  csimdjson_malformed,
  csimdjson_duplicate_key,
} csimdjson_status;

/// What kind of value a node is. `unsigned` stands only for integers past the signed 64-bit range.
typedef enum csimdjson_kind {
  csimdjson_object,
  csimdjson_array,
  csimdjson_string,
  csimdjson_signed,
  csimdjson_unsigned,
  csimdjson_double,
  csimdjson_boolean,
  csimdjson_null,
} csimdjson_kind;

/// Bytes of UTF-8 in the parser's memory; may hold NUL.
typedef struct csimdjson_text {
  const uint8_t *_Nonnull bytes;
  size_t length;
} csimdjson_text;

/// One step of the way from the root to a node: into a member of an object, or an element of an array.
typedef struct csimdjson_step {
  /// Whether `key` or `index` is meant.
  int is_key;
  /// The member's key.
  csimdjson_text key;
  /// The element's index, from 0.
  size_t index;
} csimdjson_step;

/// A parser with empty buffers; NULL when memory runs out.
csimdjson_parser *_Nullable csimdjson_create(void) CSIMDJSON_NOEXCEPT;

/// Frees the parser and its document.
void csimdjson_destroy(csimdjson_parser *_Nonnull parser) CSIMDJSON_NOEXCEPT;

/// How many bytes behind a document are read, whatever they hold.
enum { csimdjson_padding = 64 };

/// Parses one strict JSON document, at most 16 MiB - 1 long, and puts its root into `node`. Where `is_padded` is 0, a copy of `bytes` is
/// parsed; otherwise `csimdjson_padding` bytes behind them belong to the same memory.
///
/// At most `maximum_nesting` objects and arrays may stand inside one another, and never more than 1024. With
/// `csimdjson_duplicate_key`, `node` is the repeated key; after any other failure there is no document.
csimdjson_status csimdjson_parse(
    csimdjson_parser *_Nonnull parser, const void *_Nullable bytes, size_t length, int is_padded, size_t maximum_nesting,
    csimdjson_node *_Nonnull node) CSIMDJSON_NOEXCEPT;

/// What kind of value `node` is.
csimdjson_kind csimdjson_kind_of(const csimdjson_parser *_Nonnull parser, csimdjson_node node) CSIMDJSON_NOEXCEPT;

/// The number of elements of an array or members of an object.
size_t csimdjson_count(const csimdjson_parser *_Nonnull parser, csimdjson_node container) CSIMDJSON_NOEXCEPT;

/// The first element of an array, or the first key of an object; only where there is one. The value of a key is after it, and the
/// next key after that.
csimdjson_node csimdjson_first(csimdjson_node container) CSIMDJSON_NOEXCEPT;

/// The element or key after `node`, or the value after a key; only where there is one.
csimdjson_node csimdjson_after(const csimdjson_parser *_Nonnull parser, csimdjson_node node) CSIMDJSON_NOEXCEPT;

/// Puts the member of an object named `key` into `value`; 0 when there is none.
int csimdjson_find(
    const csimdjson_parser *_Nonnull parser, csimdjson_node object, const uint8_t *_Nonnull key, size_t key_length,
    csimdjson_node *_Nonnull value) CSIMDJSON_NOEXCEPT;

/// The text of a string node.
csimdjson_text csimdjson_string_of(const csimdjson_parser *_Nonnull parser, csimdjson_node node) CSIMDJSON_NOEXCEPT;

/// The value of a signed integer node.
int64_t csimdjson_signed_of(const csimdjson_parser *_Nonnull parser, csimdjson_node node) CSIMDJSON_NOEXCEPT;

/// The value of a number node of any kind, rounded to the nearest double; finite.
double csimdjson_double_of(const csimdjson_parser *_Nonnull parser, csimdjson_node node) CSIMDJSON_NOEXCEPT;

/// The value of a boolean node.
int csimdjson_boolean_of(const csimdjson_parser *_Nonnull parser, csimdjson_node node) CSIMDJSON_NOEXCEPT;

/// Copies the leading numbers of an array, at most `capacity`; the count copied, short at the first that is no number.
size_t csimdjson_copy_doubles(
    const csimdjson_parser *_Nonnull parser, csimdjson_node array, double *_Nonnull values,
    size_t capacity) CSIMDJSON_NOEXCEPT;

/// Writes the way from the root to `node`, at most `capacity` steps of it; the number written.
size_t csimdjson_path(
    const csimdjson_parser *_Nonnull parser, csimdjson_node node, csimdjson_step *_Nonnull steps,
    size_t capacity) CSIMDJSON_NOEXCEPT;

/// A member of an object as it is written, found by `csimdjson_split`.
typedef struct csimdjson_member {
  /// Whether the object has it.
  int is_there;
  /// Where its value begins in the text, and its bytes, the space after it not counted.
  size_t start, length;
  /// Whether the value is a string, and which: in the parser's memory, void from the next call on.
  int is_string;
  csimdjson_text string;
} csimdjson_member;

/// Finds the members of the one object in `bytes` that have the `count` names; the last of equal keys wins. Values are not
/// checked: an object or array may hold anything in which as many brackets open as close. 0 when `bytes` are no object in UTF-8; then
/// `*offset` is where that was found out.
int csimdjson_split(
    csimdjson_parser *_Nonnull parser, const void *_Nullable bytes, size_t length, const csimdjson_text *_Nonnull names,
    size_t count, csimdjson_member *_Nonnull members, size_t *_Nonnull offset) CSIMDJSON_NOEXCEPT;

/// Reads the number that `bytes` are, all of them; 0 when they are none that a double can hold.
int csimdjson_number(const void *_Nullable bytes, size_t length, double *_Nonnull number) CSIMDJSON_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
