// Nanoseconds per sample of OrientationFilter, compiled together with Sources/SignalProcessing by fusion.py.
import Foundation

let data = try Data(contentsOf: URL(filePath: CommandLine.arguments[2]))
let numbers = data.withUnsafeBytes { Array($0.bindMemory(to: Double.self)) }
let usesField = CommandLine.arguments[1] == "9D"
let count = numbers.count / 10
var sum = 0.0
var filter = OrientationFilter(magnetometer: usesField)
let began = ContinuousClock.now
for index in 0..<count {
    let row = 10 * index
    let motion = filter.add(
        acceleration: -SIMD3(numbers[row + 1], numbers[row + 2], numbers[row + 3]),
        rotationRate: SIMD3(numbers[row + 4], numbers[row + 5], numbers[row + 6]),
        magneticField: usesField ? SIMD3(numbers[row + 7], numbers[row + 8], numbers[row + 9]) : nil, interval: numbers[row])
    sum += motion.attitude.w
}
let spent = ContinuousClock.now - began
print(Double(spent.components.attoseconds) / 1e9 / Double(count) + Double(spent.components.seconds) * 1e9 / Double(count), sum)
