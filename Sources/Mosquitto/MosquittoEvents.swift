/// What libmosquitto reported during one call; used by one thread at a time.
///
/// Callbacks only write here: they run under the library's callback mutex.
final class MosquittoEvents {
    /// The CONNACK, until it is processed.
    var answer: (code: Int32, sessionPresent: Bool)?

    /// What the CONNACK grants; before it, what the client asks for.
    var terms: BrokerTerms

    /// SUBACKs: packet identifier and granted quality, or failure.
    var grants: [(packetID: Int32, code: Int32)] = []

    /// UNSUBACKs: packet identifiers.
    var revocations: [Int32] = []

    /// Receipts of published messages; the code is a reason of MQTT 5, 0 on 3.1.1.
    var receipts: [(packetID: Int32, code: Int32)] = []

    /// Messages read since the last batch.
    var messages: [MQTTMessage] = []

    /// How many messages and receipts were read and not taken yet.
    var deliveryCount: Int { messages.count + receipts.count }

    /// Whether response topic and correlation data of messages are read.
    let readsRequestProperties: Bool

    /// The end of the connection: a `MOSQ_ERR_*` value, or the reason of the broker's DISCONNECT.
    private(set) var endCode: Int32?

    /// The last error line of the library's log, which has more detail about TLS than its return values.
    var loggedError: String?

    /// Nothing reported yet.
    init(readsRequestProperties: Bool, terms: BrokerTerms) {
        self.readsRequestProperties = readsRequestProperties
        self.terms = terms
    }

    /// Records the first cause: every further call on a closed connection reports another end.
    func ended(_ code: Int32) {
        endCode = endCode ?? code
    }
}
