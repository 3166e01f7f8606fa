extension Row {
    /// The number in a cell; throws a fault when the cell is missing, blank, no plain decimal number, or not within `limit` of 0.
    func number(_ column: Column, limit: Double = 1e9) throws(RowFault) -> Double {
        guard column.index < cellCount else { throw tooShort }
        guard !isBlank(column.index) else {
            throw RowFault("with a blank cell", column: column.name, detail: "the cell is blank")
        }
        let text = text(column.index)
        // Where the comma separates cells, one in quotes is a decimal comma unless it may group thousands.
        guard let number = Self.decimal(text, allowsComma: allowsDecimalComma || !Self.mayGroup(text)) else {
            let advice = Self.mayGroup(text) ? ": with or without thousands? Write it without a comma" : ""
            throw RowFault(
                "with a cell that is no number", column: column.name,
                detail: "\(ImportProblem.quoted(text)) is no number\(advice)")
        }
        guard abs(number) <= limit else {
            throw RowFault("out of range", column: column.name, detail: "\(text) is out of range, at most \(limit) is expected")
        }
        return number
    }

    /// Throws where the row is too short to have a cell in each of `columns`.
    func require(_ columns: [Column]) throws(RowFault) {
        let count = cellCount
        if columns.contains(where: { $0.index >= count }) { throw tooShort }
    }

    private var tooShort: RowFault {
        RowFault("with too few cells", detail: "\(cellCount) cells under a header of \(columnCount) columns")
    }

    /// The fault of a row that has too many cells.
    var tooLong: RowFault {
        RowFault(
            "with too many cells",
            detail: "\(cellCount) cells under a header of \(columnCount) columns: one with a comma needs quotes")
    }

    /// The number in a cell, or nil when the cell is missing or blank.
    func optionalNumber(_ column: Column, limit: Double = 1e9) throws(RowFault) -> Double? {
        isBlank(column.index) ? nil : try number(column, limit: limit)
    }

    /// A finite number in plain decimals; nil for hexadecimals, "nan", "inf" and everything else that `Double` would read.
    static func decimal(_ text: String, allowsComma: Bool) -> Double? {
        guard text.utf8.allSatisfy(isDecimal) else {
            guard allowsComma, let comma = text.firstIndex(of: ","), !text.contains(".") else { return nil }
            var point = text
            point.replaceSubrange(comma...comma, with: ".")
            return decimal(point, allowsComma: false)
        }
        guard let number = Double(text), number.isFinite else { return nil }
        return number
    }

    /// Whether the comma of a number stands where it would group thousands: three digits after one to three.
    static func mayGroup(_ text: String) -> Bool {
        let parts = text.drop { "+-".contains($0) }.split(separator: ",", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[1].utf8.count == 3 && (1...3).contains(parts[0].utf8.count) && parts[0].first != "0"
            && parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    }

    private static func isDecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
