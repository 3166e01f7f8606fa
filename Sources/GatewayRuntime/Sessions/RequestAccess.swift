/// What the connection that answers requests may do.
enum RequestAccess {
    /// The line of the broker's ACL for its account, as it stands in `config/acl`; without another it could publish no reply.
    static let reading = "topic read wearables/+/query/#"
    /// The line for the replies.
    static let replying = "topic write fathom/+/reply/#"
    /// The niceness of its thread: a request must not keep a lane from running.
    static let niceness: Int32 = 15
}
