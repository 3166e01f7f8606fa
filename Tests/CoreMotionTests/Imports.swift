// For the sources of WearableFrames in `Adaptors`, which are part of that module elsewhere.
@_exported public import WearableFrames
