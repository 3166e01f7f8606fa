/// A value of a frame as an encoding holds it, by the names of the JSON contract.
///
/// The rules of frames are written against this protocol, once for all encodings. What is called `unchecked` must only be asked of a
/// value of that kind; the functions of `FrameValue+Typed.swift` check the kind and throw with the place.
protocol FrameValue: SendableMetatype {
    /// What kind of value it is.
    var kind: JSONKind { get }
    /// The JSON pointer to the value.
    var pointer: String { get }
    /// The members of an object or elements of an array.
    var uncheckedCount: Int { get }
    /// The text of a string.
    var uncheckedString: String { get }
    /// The value of an integer that fits.
    var uncheckedInteger: Int { get }
    /// The value of any number, finite.
    var uncheckedNumber: Double { get }
    /// The value of a boolean.
    var uncheckedBoolean: Bool { get }
    /// The first element of an array that has one.
    var uncheckedFirst: Self { get }
    /// The element after this one in an array that has one.
    var uncheckedNext: Self { get }

    /// The member of an object named `key`.
    func uncheckedMember(_ key: String) -> Self?
    /// The keys of an object, at most `maximum`, in its order.
    func uncheckedKeys(maximum: Int) -> [String]
    /// The leading numbers of an array, at most `count`; fewer when something else stands among them.
    func uncheckedNumbers(_ count: Int) -> [Double]
}
