// The movement disorder manager is part of Core Motion on a watch only.
#if canImport(CoreMotion) && os(watchOS)
    public import CoreMotion

    extension MovementDisorderResults.Tremor {
        /// What `CMMovementDisorderManager` found.
        public init(_ result: CMTremorResult) {
            self.init(
                startDate: result.startDate.timeIntervalSince1970, endDate: result.endDate.timeIntervalSince1970,
                unknown: Double(result.percentUnknown), none: Double(result.percentNone), slight: Double(result.percentSlight),
                mild: Double(result.percentMild), moderate: Double(result.percentModerate),
                strong: Double(result.percentStrong))
        }
    }

    extension MovementDisorderResults.Dyskinesia {
        /// What `CMMovementDisorderManager` found.
        public init(_ result: CMDyskineticSymptomResult) {
            self.init(
                startDate: result.startDate.timeIntervalSince1970, endDate: result.endDate.timeIntervalSince1970,
                unlikely: Double(result.percentUnlikely), likely: Double(result.percentLikely))
        }
    }
#endif
