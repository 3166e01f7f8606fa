import CPageAssets

/// A file of the page, which the program contains.
struct PageAsset: Sendable {
    let contentType: String
    let bytes: [UInt8]

    /// The file under a path; nil where there is none.
    static func named(_ path: String) -> PageAsset? { all[path] }

    private static let all = Dictionary(
        uniqueKeysWithValues: (0..<fathom_asset_count()).map { index in
            let asset = fathom_asset_at(index)
            return (
                String(cString: asset.path),
                PageAsset(
                    contentType: String(cString: asset.content_type),
                    bytes: Array(UnsafeBufferPointer(start: asset.bytes, count: asset.count)))
            )
        })
}
