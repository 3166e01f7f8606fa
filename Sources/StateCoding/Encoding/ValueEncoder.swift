/// The encoder of one value.
struct ValueEncoder: Encoder {
    let core: EncoderCore
    let level: EncoderCore.LevelID

    var codingPath: [any CodingKey] { core.codingPath(to: level) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        core.open(.keyed, in: level)
        return KeyedEncodingContainer(KeyedWriter<Key>(core: core, level: level))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        core.open(.unkeyed, in: level)
        return UnkeyedWriter(core: core, level: level)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleValueWriter(core: core, level: level) }
}
