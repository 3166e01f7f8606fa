/// A change of the subscriptions of a connection that is made.
package enum SubscriptionChange: Sendable, Equatable {
    /// Subscribes, anew where the connection has the subscription: retained messages come again.
    case subscribe(MosquittoConfiguration.Subscription)
    /// Ends the subscription to a filter.
    case unsubscribe(String)
}
