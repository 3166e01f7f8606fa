// The movement disorder manager is part of Core Motion on a watch only.
#if canImport(CoreMotion) && os(watchOS) || CORE_MOTION_STUB
    public import CoreMotion
    internal import Foundation

    extension TremorResult {
        /// What `CMMovementDisorderManager` found.
        public init(_ result: CMTremorResult) {
            self.init(
                start: UnixTime(result.startDate.timeIntervalSince1970), end: UnixTime(result.endDate.timeIntervalSince1970),
                unknown: Double(result.percentUnknown), none: Double(result.percentNone), slight: Double(result.percentSlight),
                mild: Double(result.percentMild), moderate: Double(result.percentModerate),
                strong: Double(result.percentStrong))
        }
    }

    extension DyskineticSymptomResult {
        /// What `CMMovementDisorderManager` found.
        public init(_ result: CMDyskineticSymptomResult) {
            self.init(
                start: UnixTime(result.startDate.timeIntervalSince1970), end: UnixTime(result.endDate.timeIntervalSince1970),
                unlikely: Double(result.percentUnlikely), likely: Double(result.percentLikely))
        }
    }
#endif
