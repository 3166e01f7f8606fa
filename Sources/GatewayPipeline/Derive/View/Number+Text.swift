import Glibc

extension Double {
    /// The number with a fixed count of decimals (0 to 3) and a real minus sign.
    package func text(_ decimals: Int) -> String {
        guard isFinite, abs(self) < 1e12 else { return "?" }
        let scale = pow(10, Double(decimals))
        let scaled = Int((self * scale).rounded())
        let sign = scaled < 0 ? "−" : ""
        guard decimals > 0 else { return sign + String(scaled.magnitude) }
        let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt(scale))
        let digits = String(fraction)
        return sign + "\(whole)." + String(repeating: "0", count: decimals - digits.count) + digits
    }

    /// The number without decimals where it has none, else with two.
    package var short: String { self == rounded() ? text(0) : text(2) }

    /// Radians as whole degrees.
    package var degrees: String { (self * 180 / .pi).text(0) + "°" }

    /// Radians as degrees with a decimal.
    package var exactDegrees: String { (self * 180 / .pi).text(1) + "°" }

    /// Seconds as `0:14`.
    package var clock: String {
        guard isFinite, self > 0, self < 1e9 else { return "0:00" }
        let seconds = Int(self)
        return "\(seconds / 60):" + (seconds % 60 < 10 ? "0" : "") + "\(seconds % 60)"
    }

    /// Seconds as hours and minutes, `6:35 h`.
    package var hours: String {
        guard isFinite, self >= 0, self < 1e9 else { return "?" }
        let minutes = Int((self / 60).rounded())
        return "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60) h"
    }

    /// A share of 0 to 1 as `40 %`.
    package var percent: String { (self * 100).text(0) + " %" }

    /// A pace in s/m as minutes and seconds for a kilometre.
    package var perKilometer: String {
        guard isFinite, self > 0, self < 60 else { return "pace unknown" }
        let seconds = Int((self * 1_000).rounded())
        return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60) min/km"
    }
}

extension Int {
    /// The number with commas between thousands.
    package var grouped: String {
        let digits = Array(String(magnitude))
        var text = self < 0 ? "−" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }

    /// `1 hit`, `2 hits`, `2 misses`.
    package func counted(_ noun: String, _ plural: String? = nil) -> String {
        "\(grouped) " + (self == 1 ? noun : plural ?? noun + "s")
    }
}
