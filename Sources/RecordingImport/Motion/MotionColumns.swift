/// Where the components of device motion are in a table.
struct MotionColumns {
    /// x, y, z, w.
    var attitude: [Column]
    var rotationRate: [Column]
    var userAcceleration: [Column]
    var gravity: [Column]
}

extension MotionColumns {
    /// Finds the columns named by a stem and X, Y, Z (and W); throws with all that are missing.
    init(
        _ header: Header, attitude: String, rotationRate: String, userAcceleration: String, gravity: String
    ) throws(ImportProblem) {
        let axes = ["X", "Y", "Z"]
        let titles =
            (axes + ["W"]).map { attitude + $0 } + axes.map { rotationRate + $0 } + axes.map { userAcceleration + $0 }
            + axes.map { gravity + $0 }
        let columns = try header.require(titles)
        self.attitude = Array(columns[0..<4])
        self.rotationRate = Array(columns[4..<7])
        self.userAcceleration = Array(columns[7..<10])
        self.gravity = Array(columns[10..<13])
    }

    /// All of them.
    var all: [Column] { attitude + rotationRate + userAcceleration + gravity }

    /// The row's sample in the units and signs of the file.
    func reading(of row: Row) throws(RowFault) -> MotionReading {
        let attitude = SIMD4(
            lowHalf: SIMD2(try row.number(attitude[0]), try row.number(attitude[1])),
            highHalf: SIMD2(try row.number(attitude[2]), try row.number(attitude[3])))
        let squared = (attitude * attitude).sum()
        guard (0.81...1.21).contains(squared) else {
            throw RowFault(
                "whose attitude is no rotation", column: self.attitude[0].name,
                detail: "the quaternion is \(squared.squareRoot()) long, expected about 1")
        }
        return MotionReading(
            attitude: attitude, rotationRate: try row.vector(rotationRate),
            userAcceleration: try row.vector(userAcceleration), gravity: try row.vector(gravity))
    }
}

extension Row {
    /// The numbers in three cells; throws the fault of one of them.
    func vector(_ columns: [Column]) throws(RowFault) -> SIMD3<Double> {
        // More than any sensor measures in any unit, and little enough to be written with 9 decimals.
        let limit = 1e6
        return SIMD3(
            try number(columns[0], limit: limit), try number(columns[1], limit: limit), try number(columns[2], limit: limit))
    }
}
