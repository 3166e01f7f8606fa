// The types that a device reports as the gateway has them. The other values of this library differ from the gateway's: an app has one
// sample after another and dates, while the gateway has columns, and times of the device's clock that it worked out from both clocks.
@_exported public import enum TelemetryModel.Authorization
@_exported public import enum TelemetryModel.Capability
@_exported public import enum TelemetryModel.Command
@_exported public import enum TelemetryModel.DepthState
@_exported public import enum TelemetryModel.ReferenceFrame
@_exported public import enum TelemetryModel.SensorLocation
@_exported public import enum TelemetryModel.Side
@_exported public import enum TelemetryModel.StreamName
@_exported public import enum TelemetryModel.SubmersionState
@_exported public import enum TelemetryModel.WorkoutState
@_exported public import struct TelemetryModel.DeviceStatus
@_exported public import struct TelemetryModel.DyskineticSymptomResult
@_exported public import struct TelemetryModel.HeadphoneConnectionEvent
@_exported public import struct TelemetryModel.Identifier
@_exported public import struct TelemetryModel.MovementDisorderResults
@_exported public import struct TelemetryModel.PedometerEvent
@_exported public import struct TelemetryModel.TremorResult
@_exported public import struct TelemetryModel.UnixTime
@_exported public import typealias TelemetryModel.BootID
@_exported public import typealias TelemetryModel.DeviceID
