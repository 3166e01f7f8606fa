package import StateCoding
package import TelemetryModel

extension FieldWriter {
    /// Writes an instant in seconds.
    package func write(_ name: String, _ value: DeviceTime) throws { try write(name, value.seconds) }

    /// Writes an instant in seconds, if there is one.
    package func write(_ name: String, _ value: DeviceTime?) throws { try write(name, value?.seconds) }

    /// Writes an identifier as its text.
    package func write(_ name: String, _ value: Identifier) throws { try write(name, value.rawValue) }

    /// Writes an identifier as its text, if there is one.
    package func write(_ name: String, _ value: Identifier?) throws { try write(name, value?.rawValue) }
}
