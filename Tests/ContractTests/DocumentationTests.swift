import Foundation
import GatewayTestSupport
import Testing

/// A page of the documentation.
struct DocumentationPage {
    /// Its path in the repository.
    let path: String
    /// Its text without blocks of code.
    let text: String

    init(_ path: String) throws {
        self.path = path
        let all = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        text = all.split(separator: "```", omittingEmptySubsequences: false).enumerated().filter { $0.offset.isMultiple(of: 2) }
            .map { String($0.element) }.joined()
    }

    /// The repository.
    static let root = ContractSchemas.folder.appending(path: "../..").standardizedFileURL

    /// Every page: those at the top, and those in the folders for readers.
    static func all() throws -> [DocumentationPage] {
        let top = try FileManager.default.contentsOfDirectory(atPath: root.path)
        let below = try ["docs", "Examples", "Benchmarks", "config"].flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path).map { "\(folder)/\($0)" }
        }
        return try (top + below).filter { $0.hasSuffix(".md") }.sorted().map(DocumentationPage.init)
    }

    /// The targets of links, without those to other sites.
    var links: [String] {
        text.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }.filter { !$0.contains("://") && !$0.hasPrefix("mailto:") }
    }

    /// The path in the repository, and the anchor, to which a link leads.
    func target(of link: String) -> (path: String, anchor: String?) {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let anchor = parts.count > 1 ? parts[1] : nil
        guard !parts[0].isEmpty else { return (path, anchor) }
        let folder = path.split(separator: "/").dropLast().map(String.init)
        let steps = parts[0].split(separator: "/").reduce(into: folder) { steps, step in
            if step == ".." { steps = steps.dropLast() } else if step != "." { steps.append(String(step)) }
        }
        return (steps.joined(separator: "/"), anchor)
    }

    /// The anchors of its headings, as code forges make them.
    var anchors: Set<String> {
        var anchors: Set<String> = []
        for line in text.split(separator: "\n") {
            guard let title = line.wholeMatch(of: /#{1,6} (.+)/)?.1 else { continue }
            let shown = title.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }.lowercased()
            let slug = shown.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }.replacing(" ", with: "-")
            var (name, count) = (slug, 0)
            while !anchors.insert(name).inserted {
                count += 1
                name = "\(slug)-\(count)"
            }
        }
        return anchors
    }
}

@Suite("Links and commands of the documentation")
struct DocumentationTests {
    @Test("Every link leads to a file or folder of the repository, and to a heading where it names one")
    func links() throws {
        let pages = try DocumentationPage.all()
        let anchors = Dictionary(uniqueKeysWithValues: pages.map { ($0.path, $0.anchors) })
        var count = 0
        for page in pages {
            for link in page.links {
                let (path, anchor) = page.target(of: link)
                let file = DocumentationPage.root.appending(path: path).path
                #expect(FileManager.default.fileExists(atPath: file), "\(page.path): \(link)")
                if let anchor { #expect(anchors[path]?.contains(anchor) == true, "\(page.path): \(link)") }
                count += 1
            }
        }
        #expect(count > 150)
    }

    @Test("Every page of docs/ can be reached from the README")
    func reachable() throws {
        let pages = Dictionary(uniqueKeysWithValues: try DocumentationPage.all().map { ($0.path, $0) })
        var reached: Set<String> = []
        var open = ["README.md"]
        while let path = open.popLast() {
            guard let page = pages[path], reached.insert(path).inserted else { continue }
            open += page.links.map { page.target(of: $0).path }
        }
        let missing = Set(pages.keys.filter { $0.hasPrefix("docs/") }).subtracting(reached)
        #expect(missing.isEmpty)
    }

    @Test("A page about payloads of other programs says which setting names their file")
    func producers() throws {
        for path in ["docs/mapped-json.md", "docs/sensor-logger.md", "docs/presence.md"] {
            let text = try String(contentsOf: DocumentationPage.root.appending(path: path), encoding: .utf8)
            #expect(text.contains("producers.file") || text.contains("producers:\n  file:"), "\(path)")
        }
    }

    @Test("Every target of make that a page names is in the Makefile")
    func targets() throws {
        let makefile = try String(contentsOf: DocumentationPage.root.appending(path: "Makefile"), encoding: .utf8)
        let targets = Set(makefile.matches(of: /(?m)^([a-z-]+):/).map { String($0.1) })
        for page in try DocumentationPage.all() {
            for found in page.text.matches(of: /`make ([a-z-]+)/) {
                #expect(targets.contains(String(found.1)), "\(page.path): make \(found.1)")
            }
        }
    }
}
