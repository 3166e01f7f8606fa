#ifndef FATHOM_PAGE_ASSETS_H
#define FATHOM_PAGE_ASSETS_H

#include <stddef.h>

/// A file of the page, which the program contains.
typedef struct {
    const char *_Nonnull path;
    const char *_Nonnull content_type;
    const unsigned char *_Nonnull bytes;
    size_t count;
} fathom_asset;

/// How many files there are.
size_t fathom_asset_count(void);

/// A file; `index` must be below the count.
fathom_asset fathom_asset_at(size_t index);

#endif
