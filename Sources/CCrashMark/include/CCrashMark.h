#ifndef CCRASHMARK_H
#define CCRASHMARK_H

#include <stddef.h>
#include <stdint.h>

/// The frame that is being processed, in memory that outlives the process: what a crash leaves behind.
///
/// `state`: 0 nothing is processed, 1 a frame is, 2 the process crashed while it was. Topic and payload follow the header.
typedef struct crash_mark {
    volatile uint32_t state;
    uint32_t topic_length;
    uint32_t payload_length;
    uint32_t capacity;
} crash_mark;

/// Maps an open file as a mark for messages of up to `capacity` bytes, topic and payload together; NULL on failure. The file may be closed then.
crash_mark *_Nullable crash_mark_map(int file, uint32_t capacity);

/// Unmaps a mark.
void crash_mark_close(crash_mark *_Nonnull mark);

/// Notes that the calling thread begins to process a message; one that does not fit is noted by its first bytes.
void crash_mark_begin(
    crash_mark *_Nonnull mark, const void *_Nullable topic, size_t topic_length, const void *_Nullable payload, size_t payload_length);

/// Notes that it has ended.
void crash_mark_end(crash_mark *_Nonnull mark);

/// Overwrites what earlier messages have left, while none is processed.
void crash_mark_clear(crash_mark *_Nonnull mark);

/// Topic and payload, one behind the other.
const uint8_t *_Nonnull crash_mark_bytes(const crash_mark *_Nonnull mark);

/// Has a fatal signal marked before it ends the process as it would have; to be called once.
void crash_mark_install(void);

#endif
