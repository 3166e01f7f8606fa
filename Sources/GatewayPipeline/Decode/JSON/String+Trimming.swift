extension String {
    /// The text without spaces, tabs and line ends around it.
    var trimmingSpaces: Substring {
        let isSpace = { (character: Character) in character.isASCII && character.isWhitespace }
        var text = drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}
