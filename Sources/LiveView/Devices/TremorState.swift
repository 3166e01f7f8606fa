/// What is known of the tremor of a wearer, and of dyskinesia: the latest minute of each. For research.
package struct TremorState: Sendable, Hashable {
    /// The latest minute of `tremor`; nil before the first.
    package private(set) var tremor: Minute?
    /// The latest minute of `dyskinesia`; nil before the first.
    package private(set) var dyskinesia: Minute?

    /// One minute.
    package struct Minute: Sendable, Hashable {
        /// Its end, unix seconds.
        package var at: Double
        /// The share of it with tremor, or with likely dyskinesia, 0 to 1.
        package var share: Double
        /// The grade of most of the tremor: `slight`, `mild`, `moderate` or `severe`; nil without tremor, and for dyskinesia.
        package var grade: String?
        /// The frequency of the tremor in Hz, where it is known.
        package var frequency: Double?
        /// How it was found: `spectral` or `apple`.
        package var method: String?
    }

    mutating func takeTremor(_ fields: DerivedFields) -> Phrase? {
        let shares = [("slight", fields.slight), ("mild", fields.mild), ("moderate", fields.moderate), ("severe", fields.severe)]
        guard let at = fields.end ?? fields.at, shares.contains(where: { $0.1 != nil }) else { return nil }
        let share = shares.reduce(0) { $0 + ($1.1 ?? 0) }
        let grade = share > 0 ? shares.max { $0.1 ?? 0 < $1.1 ?? 0 }?.0 : nil
        let minute = Minute(at: at, share: share, grade: grade, frequency: fields.frequency, method: fields.method?.printable)
        // A minute that is revised may be older than the last.
        if at >= tremor?.at ?? at { tremor = minute }
        return share > 0 ? Phrase(minute.tremorText, .notice) : nil
    }

    mutating func takeDyskinesia(_ fields: DerivedFields) -> Phrase? {
        guard let at = fields.end ?? fields.at, let likely = fields.likely else { return nil }
        let minute = Minute(at: at, share: likely, method: fields.method?.printable)
        if at >= dyskinesia?.at ?? at { dyskinesia = minute }
        return likely > 0 ? Phrase(minute.dyskinesiaText, .notice) : nil
    }

    var summary: String? {
        let parts = [tremor?.tremorText, dyskinesia?.dyskinesiaText].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    var headline: Phrase? { summary.map { Phrase($0, .plain) } }
}

extension TremorState.Minute {
    fileprivate var tremorText: String {
        guard let grade else { return "no tremor" }
        return "tremor in \(percent) of a minute, mostly \(grade)" + (frequency.map { ", \($0.text(1)) Hz" } ?? "")
    }

    fileprivate var dyskinesiaText: String { share > 0 ? "dyskinesia likely in \(percent)" : "no dyskinesia" }

    private var percent: String { "\((share * 100).text(0)) %" }
}
