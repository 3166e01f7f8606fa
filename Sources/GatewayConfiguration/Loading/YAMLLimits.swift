// A module of the package Yams, which that package does not offer as a product: Yams itself gives no events.
internal import CYaml

/// What a YAML text may hold. Checked before Yams makes nodes of it: Yams follows aliases, whose content can grow exponentially, and
/// calls itself for each level.
enum YAMLLimits {
    /// The most bytes of a file: 1,600 for each of 20,000 devices.
    static let bytes = 32_000_000
    /// The most keys, values, lists and mappings of a file: 50 for each of 20,000 devices.
    static let nodes = 1_000_000
    /// The most levels of lists and mappings; the deepest file of the gateway has 6.
    static let depth = 32
    /// The most bytes of the path of a key: what is in a list or mapping has the path of it.
    static let pathBytes = 500

    /// Why a text is not read, and where it says so.
    struct Fault: Equatable {
        /// The line, from 1; nil for the whole text.
        var line: Int?
        /// The rest of a sentence that starts with the file.
        var message: String
    }

    /// The first fault of a text; nil where it has none, or cannot be parsed, which Yams reports.
    static func fault(of text: String) -> Fault? {
        guard text.utf8.count <= bytes else {
            return Fault(message: "has \(text.utf8.count) bytes; at most \(bytes) are read")
        }
        var text = text
        return text.withUTF8 { utf8 in
            // libyaml keeps the address of its parser in it.
            let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
            defer { parser.deallocate() }
            guard yaml_parser_initialize(parser) == 1 else { return Fault(message: "cannot be parsed: no memory") }
            defer { yaml_parser_delete(parser) }
            yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
            yaml_parser_set_input_string(parser, utf8.baseAddress, utf8.count)
            return firstFault(parser)
        }
    }

    private static func firstFault(_ parser: UnsafeMutablePointer<yaml_parser_t>) -> Fault? {
        var count = 0
        var level = 0
        var event = yaml_event_t()
        while yaml_parser_parse(parser, &event) == 1 {
            defer { yaml_event_delete(&event) }
            let line = Int(event.start_mark.line) + 1
            switch event.type {
            case YAML_STREAM_END_EVENT:
                return nil
            case YAML_ALIAS_EVENT:
                return Fault(
                    line: line,
                    message: "has an alias (*) in column \(event.start_mark.column + 1); aliases and merge keys (<<) are not "
                        + "read: write in its place what it stands for")
            case YAML_SCALAR_EVENT:
                count += 1
            case YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT:
                count += 1
                level += 1
                if level > depth { return Fault(line: line, message: "has more than \(depth) levels") }
            case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
                level -= 1
            default:
                break
            }
            if count > nodes { return Fault(line: line, message: "has more than \(nodes) keys and values") }
        }
        // libyaml looks ahead, and has a limit of its own.
        guard Int(parser.pointee.flow_level) > depth else { return nil }
        return Fault(line: Int(parser.pointee.problem_mark.line) + 1, message: "has more than \(depth) levels")
    }
}
