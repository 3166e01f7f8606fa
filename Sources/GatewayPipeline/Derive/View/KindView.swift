/// How a kind is shown: on the page, by `fathom watch` and in Home Assistant. It stands beside the fields of the kind, and is read by
/// viewers only. What joins kinds, such as danger and the headline of a diver, is code of the viewers.
package struct KindView: Sendable {
    /// A text of a message; nil where it says nothing.
    package typealias Text = @Sendable (ShownFields) -> Phrase?

    /// What a device that publishes the kind is used for.
    package let role: DeviceRole
    /// Of what is known of a device, the row or the cells of the greatest precedence are shown.
    package let precedence: Int
    /// What the terminal's line of the device says while the message is current; a message without one ends what was said before.
    package let row: Text?
    /// What a message adds to "What happened".
    package let event: Text?
    /// The cell of the page's table.
    package let cell: Cell?
    /// What the page shows beside the table.
    package let details: [Detail]
    /// What is counted over the messages.
    package let tallies: [Tally]
    /// What the page's earlier days have of a message; nil for nothing.
    package let episode: Episode?
    /// The field that the page's table draws over the last minutes; nil for none. Of such a kind the latest message is shown too.
    package let trend: String?
    /// The entities in Home Assistant.
    package let entities: [Entity]

    /// A view; what is not given is not shown.
    package init(
        _ role: DeviceRole = .other, precedence: Int = 0, row: Text? = nil, event: Text? = nil, cell: Cell? = nil,
        details: [Detail] = [], tallies: [Tally] = [], episode: Episode? = nil, trend: String? = nil, entities: [Entity] = []
    ) {
        self.role = role
        self.precedence = precedence
        self.row = row
        self.event = event
        self.cell = cell
        self.details = details
        self.tallies = tallies
        self.episode = episode
        self.trend = trend
        self.entities = entities
    }

    /// Whether a drawing needs the fields of the latest message.
    package var showsLatest: Bool {
        details.contains { detail in
            switch detail {
            case .plot, .messages(1, _): true
            case .messages, .facts: false
            }
        }
    }

    /// Whether the latest message says something until the next one comes.
    package var isKnownUntilNext: Bool {
        row != nil || cell != nil || details.contains { if case .facts = $0 { true } else { showsLatest } }
    }

    /// The view of a kind that declares none: its fields, of a state as the row, of another message as the event too.
    static func fields(isRetained: Bool) -> KindView {
        let list: Text = { $0.list }
        return KindView(row: list, event: isRetained ? nil : list)
    }
}

extension KindView {
    /// What a kind says in a column of the page's table.
    package struct Cell: Sendable {
        /// The column; several kinds may share one.
        package let column: ViewColumn
        /// What stands before the cell where all columns are one; empty for nothing.
        package let label: String
        /// What it says, by `isCurrent`; empty for nothing.
        package let parts: @Sendable (ShownFields) -> [ShownPart]

        /// A cell.
        package init(_ column: ViewColumn, label: String = "", _ parts: @escaping @Sendable (ShownFields) -> [ShownPart]) {
            self.column = column
            self.label = label
            self.parts = parts
        }
    }

    /// What the page's earlier days have of a message with a start and an end.
    package struct Episode: Sendable {
        /// The heading that it is listed and counted under; nil for one that only drawings use.
        package let heading: String?
        /// What the list says of it.
        package let text: Text

        /// An episode below a heading.
        package init(_ heading: String?, _ text: @escaping Text = { _ in nil }) {
            self.heading = heading
            self.text = text
        }
    }

    /// A thing that the page shows of a kind beside the table.
    package enum Detail: Sendable {
        /// Names and values below a heading, which several kinds may share.
        case facts(String, @Sendable (ShownFields) -> [(name: String, parts: [ShownPart])])
        /// The values of fields over time: the first is a line, unless the kind has a drawing of its own.
        case plot([String])
        /// The latest messages that have some fields, so many, for a drawing of its own; of one message the fields are in the row.
        case messages(Int, with: [String] = [])
    }

    /// A count that the texts use, and the terminal at its end.
    package struct Tally: Sendable {
        /// What is counted.
        package let noun: String
        /// More than one of it.
        package let plural: String
        /// The count of a message, after the count before.
        package let count: @Sendable (ShownFields, Int) -> Int

        private init(_ noun: String, _ plural: String?, count: @escaping @Sendable (ShownFields, Int) -> Int) {
            self.noun = noun
            self.plural = plural ?? noun + "s"
            self.count = count
        }

        /// The messages.
        package static func messages(_ noun: String, _ plural: String? = nil) -> Tally { Tally(noun, plural) { $1 &+ 1 } }

        /// The sum of a field.
        package static func sum(_ field: String, _ noun: String) -> Tally {
            Tally(noun, nil) { $1 &+ min(max(0, $0.integer(field) ?? 0), 1_000_000) }
        }

        /// A field that is a count itself.
        package static func latest(_ field: String, _ noun: String, _ plural: String? = nil) -> Tally {
            Tally(noun, plural) { $0.integer(field) ?? $1 }
        }
    }

    /// An entity in Home Assistant. Unit, device class and options follow from the declaration of its field.
    package struct Entity: Sendable {
        /// What its state is.
        package enum State: Sendable {
            /// The value of a field.
            case field(String)
            /// An event with a type, an expression on `value_json`, and with the fields of the message, without some, as attributes.
            case event(types: [String], type: String, without: [String])
        }

        /// Its key in the message, and the end of its unique id: never changed, for Home Assistant knows the entity by it.
        package let id: StaticString
        /// Its name.
        package let name: StaticString
        /// Its state.
        package let state: State
        /// Home Assistant's `state_class`, such as `measurement`.
        package let stateClass: StaticString?
        /// How many decimals are shown.
        package let precision: Int?
        /// Its icon, such as `mdi:tennis`.
        package let icon: StaticString?
        /// Whether it is enabled without its user.
        package let isEnabledByDefault: Bool
        /// The kind whose first message announces it; its own where nil.
        package let announcedBy: String?
        /// The seconds between two messages where every state is published again and again; nil where one may hold for any time.
        package let interval: (@Sendable (DeriveSettings) -> Double)?

        /// An entity.
        package init(
            _ id: StaticString, _ name: StaticString, _ state: State, stateClass: StaticString? = nil, precision: Int? = nil,
            icon: StaticString? = nil, isEnabledByDefault: Bool = true, announcedBy: String? = nil,
            interval: (@Sendable (DeriveSettings) -> Double)? = nil
        ) {
            self.id = id
            self.name = name
            self.state = state
            self.stateClass = stateClass
            self.precision = precision
            self.icon = icon
            self.isEnabledByDefault = isEnabledByDefault
            self.announcedBy = announcedBy
            self.interval = interval
        }
    }
}

/// A part of a cell or of a fact.
package enum ShownPart: Sendable, Hashable {
    /// A text.
    case text(String, Tone = .plain)
    /// The time since an instant in unix seconds.
    case since(Double, Tone = .plain)
    /// The time of day of an instant.
    case clock(Double)
    /// The same, or the date where it is of another day.
    case moment(Double)
}
