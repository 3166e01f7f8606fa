import Glibc

extension Double {
    /// The number with a fixed count of decimals (0 to 3) and a real minus sign.
    func text(_ decimals: Int) -> String {
        guard isFinite, abs(self) < 1e12 else { return "?" }
        let scale = pow(10, Double(decimals))
        let scaled = Int((self * scale).rounded())
        let sign = scaled < 0 ? "−" : ""
        guard decimals > 0 else { return sign + String(scaled.magnitude) }
        let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt(scale))
        let digits = String(fraction)
        return sign + "\(whole)." + String(repeating: "0", count: decimals - digits.count) + digits
    }

    /// Radians as whole degrees.
    var degrees: String { (self * 180 / .pi).text(0) + "°" }

    /// Seconds as `0:14`.
    var clock: String {
        guard isFinite, self > 0, self < 1e9 else { return "0:00" }
        let seconds = Int(self)
        return "\(seconds / 60):" + (seconds % 60 < 10 ? "0" : "") + "\(seconds % 60)"
    }

    /// Seconds as `00:13.2`.
    var stamp: String {
        guard isFinite, self > 0, self < 1e9 else { return "00:00.0" }
        let tenths = Int((self * 10).rounded())
        let (minutes, rest) = tenths.quotientAndRemainder(dividingBy: 600)
        return (minutes < 10 ? "0" : "") + "\(minutes):" + (rest < 100 ? "0" : "") + "\(rest / 10).\(rest % 10)"
    }
}

extension Int {
    /// The number with commas between thousands.
    var grouped: String {
        let digits = Array(String(magnitude))
        var text = self < 0 ? "−" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }

    /// `1 hit`, `2 hits`, `2 misses`.
    func counted(_ noun: String, _ plural: String? = nil) -> String {
        "\(grouped) " + (self == 1 ? noun : plural ?? noun + "s")
    }
}
