internal import CLibXML2

/// The elements of an XML file, a piece of the file at a time. Nothing outside the file is read, and no entity of its own is expanded.
final class XMLScanner {
    /// What comes next in the file.
    enum Event {
        /// The beginning of an element.
        case start(XMLElement)
        /// The end of an element, with the text behind its last child.
        case end(name: String, text: String, line: Int)
    }

    /// Longer texts are cut: no value is as long.
    private static let longestText = 1024

    /// The file, for messages.
    let file: String
    private var bytes: XMLText
    private let filter: XMLFilter?
    private var parser: xmlParserCtxtPtr?
    private var events: [Event] = []
    private var taken = 0
    private var text: [UInt8] = []
    private var depthLeftOut = 0
    /// Whether the parser has all bytes, and whether their events were taken.
    private var (isLast, isAtEnd) = (false, false)
    /// Reported once the events before it are taken.
    private var problem: ImportProblem?
    /// The fault that ends the parser, and whether it is the end of the file.
    private var fault: (message: String, line: Int, isEnd: Bool)?

    /// The elements in what `chunks` gives. An element that `filter` leaves out is left out with what is in it.
    init(file: String, filter: XMLFilter? = nil, chunks: @escaping () throws(ImportProblem) -> [UInt8]) {
        self.file = file
        bytes = XMLText(file: file, chunks: chunks)
        self.filter = filter
        var handler = xmlSAXHandler()
        handler.initialized = XML_SAX2_MAGIC
        handler.startElementNs = { scanner, name, _, _, _, _, count, _, values in
            guard let scanner, let name else { return }
            XMLScanner.at(scanner).start(name, RawAttributes(values: values, count: Int(count)))
        }
        handler.endElementNs = { scanner, name, _, _ in
            guard let scanner, let name else { return }
            XMLScanner.at(scanner).end(name)
        }
        handler.characters = { scanner, bytes, count in
            guard let scanner, let bytes else { return }
            XMLScanner.at(scanner).add(UnsafeBufferPointer(start: bytes, count: Int(count)))
        }
        handler.cdataBlock = handler.characters
        // Without these the library prints; errors of an encoding belong to no parser.
        handler.serror = { scanner, error in
            guard let scanner, let error else { return }
            XMLScanner.at(scanner).keep(error.pointee)
        }
        xmlSetStructuredErrorFunc(nil) { _, _ in }
        fathom_xml_print_nothing()
        parser = xmlCreatePushParserCtxt(&handler, Unmanaged.passUnretained(self).toOpaque(), nil, 0, nil)
        // No network, and what is declared outside the file is not loaded. Attributes are texts, not nodes of a tree.
        if let parser { xmlCtxtUseOptions(parser, Int32(XML_PARSE_NONET.rawValue)) }
    }

    deinit {
        guard let parser else { return }
        // Where entities are declared, the library makes a document for them.
        if let document = parser.pointee.myDoc { xmlFreeDoc(document) }
        xmlFreeParserCtxt(parser)
    }

    /// What is to be said of characters that were left out; nil without any.
    var note: String? {
        bytes.blanked == 0
            ? nil : "\(bytes.blanked) characters that XML does not allow, and & that stand for themselves, are read as blanks"
    }

    /// What comes next; nil at the end. Throws where the file is no XML, after what is before that place.
    func next() throws(ImportProblem) -> Event? {
        while taken == events.count {
            events.removeAll(keepingCapacity: true)
            taken = 0
            guard !isAtEnd else { return nil }
            try parse()
        }
        defer { taken += 1 }
        return events[taken]
    }

    private func parse() throws(ImportProblem) {
        if let problem {
            isAtEnd = true
            throw problem
        }
        let chunk = try bytes.next()
        isLast = chunk.isEmpty
        let status = chunk.withUnsafeBytes { bytes in
            xmlParseChunk(parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), isLast ? 1 : 0)
        }
        // Where an encoding ends the parser, what was parsed is well formed still.
        if status != 0, let parser, parser.pointee.wellFormed == 0 || parser.pointee.disableSAX != 0 {
            problem = failure
        } else {
            isAtEnd = isLast
        }
    }

    private var failure: ImportProblem {
        guard parser != nil else { return ImportProblem("no memory for XML", file: file) }
        guard let fault else {
            return ImportProblem("is no XML from here on: the bytes are not of its encoding", file: file, line: line)
        }
        return ImportProblem(
            (fault.isEnd ? "the XML ends too early; what is before is read: " : "is no XML from here on: ") + fault.message,
            file: file, line: fault.line)
    }

    private func keep(_ error: xmlError) {
        guard fault == nil, error.level == XML_ERR_FATAL, let input = parser?.pointee.input else { return }
        let message = error.message.flatMap { String(cString: $0).split(separator: "\n").first } ?? "it is not well formed"
        fault = (String(message), error.line > 0 ? Int(error.line) : line, isLast && input.pointee.cur >= input.pointee.end)
    }

    private static func at(_ scanner: UnsafeMutableRawPointer) -> XMLScanner {
        Unmanaged<XMLScanner>.fromOpaque(scanner).takeUnretainedValue()
    }

    private var line: Int { parser?.pointee.input.map { Int($0.pointee.line) } ?? 0 }

    private func start(_ name: UnsafePointer<xmlChar>, _ attributes: RawAttributes) {
        text.removeAll(keepingCapacity: true)
        if depthLeftOut > 0 || filter.map({ $0.leavesOut(name, attributes) }) ?? false {
            depthLeftOut += 1
            return
        }
        events.append(
            .start(XMLElement(name: String(cString: name), attributes: attributes.dictionary, line: line)))
    }

    private func end(_ name: UnsafePointer<xmlChar>) {
        guard depthLeftOut == 0 else { return depthLeftOut -= 1 }
        events.append(.end(name: String(cString: name), text: String(decoding: text, as: UTF8.self), line: line))
        text.removeAll(keepingCapacity: true)
    }

    private func add(_ bytes: UnsafeBufferPointer<xmlChar>) {
        guard depthLeftOut == 0 else { return }
        text += bytes.prefix(Self.longestText - min(text.count, Self.longestText))
    }
}

/// The beginning of an XML element.
struct XMLElement {
    /// Its name without a prefix.
    var name: String
    /// Its attributes by their names without prefixes.
    var attributes: [String: String]
    /// The line it stands on, from 1.
    var line: Int
}

/// Which elements are read, before anything of them is copied: the others are left out with what is in them.
struct XMLFilter {
    /// The elements that are read.
    var kept: [StaticString]
    /// An element that is read where it has one of some values.
    var element: StaticString
    /// The attribute with that value.
    var attribute: StaticString
    /// The values.
    var values: [StaticString]

    fileprivate func leavesOut(_ name: UnsafePointer<xmlChar>, _ attributes: RawAttributes) -> Bool {
        guard xmlStrEqual(name, element.utf8Start) == 1 else {
            return !kept.contains { xmlStrEqual(name, $0.utf8Start) == 1 }
        }
        guard let value = attributes.value(of: attribute) else { return true }
        return !values.contains { expected in
            value.count == expected.utf8CodeUnitCount
                && xmlStrncmp(value.baseAddress, expected.utf8Start, Int32(value.count)) == 0
        }
    }
}

/// Attributes as the library passes them: for each its name, prefix and namespace, and where its value begins and ends.
private struct RawAttributes {
    var values: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    var count: Int

    var dictionary: [String: String] {
        var found: [String: String] = [:]
        for index in 0..<count {
            guard let name = values?[5 * index], let value = value(index) else { continue }
            found[String(cString: name)] = String(decoding: value, as: UTF8.self)
        }
        return found
    }

    func value(of attribute: StaticString) -> UnsafeBufferPointer<xmlChar>? {
        for index in 0..<count where xmlStrEqual(values?[5 * index], attribute.utf8Start) == 1 { return value(index) }
        return nil
    }

    private func value(_ index: Int) -> UnsafeBufferPointer<xmlChar>? {
        guard let start = values?[5 * index + 3], let end = values?[5 * index + 4] else { return nil }
        return UnsafeBufferPointer(start: start, count: end - start)
    }
}
