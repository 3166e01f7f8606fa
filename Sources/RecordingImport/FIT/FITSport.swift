/// A sport of FIT.
struct FITSport: Equatable {
    /// Its number.
    let number: Int64?

    /// Whether its cadence counts steps.
    var isOnFoot: Bool { number.map { [1, 11, 16, 17, 35].contains($0) } ?? false }

    /// HealthKit's name of the activity.
    var activity: String {
        switch number {
        case 1: "running"
        case 2, 21: "cycling"
        case 5: "swimming"
        case 6: "basketball"
        case 7: "soccer"
        case 8: "tennis"
        case 9: "americanFootball"
        case 11: "walking"
        case 12: "crossCountrySkiing"
        case 13: "downhillSkiing"
        case 14: "snowboarding"
        case 15: "rowing"
        case 16: "climbing"
        case 17: "hiking"
        case 19: "paddleSports"
        case 25: "golf"
        case 35: "snowSports"
        case 53: "underwaterDiving"
        default: "other"
        }
    }
}
