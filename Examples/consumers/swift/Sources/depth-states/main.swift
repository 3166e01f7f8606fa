import CMosquitto
import Foundation

// Prints the depth state of every device: depth-states HOST PORT [USER PASSWORD].
let arguments = CommandLine.arguments
guard arguments.count > 2, let port = Int32(arguments[2]) else { exit(64) }
setvbuf(stdout, nil, _IOLBF, 0)
mosquitto_lib_init()
/// A session that the broker keeps: it holds what this program misses.
let client = mosquitto_new("depth-states-swift", false, nil)
var states = DepthStates()

mosquitto_connect_callback_set(client) { client, _, code in
    if code == 0 { mosquitto_subscribe(client, nil, "wearables/+/out/depth-state", 1) }
}
mosquitto_message_callback_set(client) { _, _, message in
    guard let message = message?.pointee, let topic = message.topic else { return }
    let device = String(cString: topic).split(separator: "/")[1]
    let payload = message.payload.map { Data(bytes: $0, count: Int(message.payloadlen)) } ?? Data()
    if let line = states.take(payload, of: String(device), at: Date().timeIntervalSince1970) { print(line) }
}
if arguments.count > 4 { mosquitto_username_pw_set(client, arguments[3], arguments[4]) }
if mosquitto_connect(client, arguments[1], port, 30) != MOSQ_ERR_SUCCESS.rawValue { exit(1) }
while true {  // one thread: the callbacks are called by the loop
    let result = mosquitto_loop(client, 500, 1)
    for line in states.expire(at: Date().timeIntervalSince1970) { print(line) }
    if result != MOSQ_ERR_SUCCESS.rawValue {
        sleep(1)
        mosquitto_reconnect(client)
    }
}
