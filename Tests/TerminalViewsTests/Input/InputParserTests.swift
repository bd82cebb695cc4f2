import Testing

@testable import TerminalViews

@Suite struct InputParserTests {
  /// Returns the events of a text that arrives in pieces, with a pause after each.
  private func events(_ pieces: [Substring.UnicodeScalarView]) -> [InputEvent] {
    var parser = InputParser()
    for piece in pieces {
      for scalar in piece { parser.take(.character(scalar.value)) }
      parser.pause()
    }
    return parser.events
  }

  private func events(_ text: String) -> [InputEvent] { events([text.unicodeScalars[...]]) }

  /// Returns each way to send a text with up to two pauses.
  private func slicings(_ text: String) -> [[Substring.UnicodeScalarView]] {
    let scalars = text.unicodeScalars
    let places = Array(scalars.indices) + [scalars.endIndex]
    return places.flatMap { first in
      places.filter { $0 >= first }.map { second in
        [scalars[..<first], scalars[first..<second], scalars[second...]].filter { !$0.isEmpty }
      }
    }
  }

  private let paste = "\u{1B}[200~shopping\nd\u{1B}[A\u{1B}[20\u{1B}[201~"

  @Test func `A paste is one event, however it is sliced`() {
    let expected: [InputEvent] = [.key("a"), .paste("shopping\nd[A[20"), .key("d")]
    for pieces in slicings("a\(paste)d") {
      // An escape before a pause counts as a pressed key, since the parser cannot know the rest.
      let texts = pieces.map { String($0) }
      let isEscape = texts.first == "a\u{1B}" || texts.starts(with: ["a", "\u{1B}"])
      // A bracket with its own pause after the escape also counts as a key.
      guard texts.prefix(2) != ["a\u{1B}", "["] else { continue }
      let escape: [InputEvent] = isEscape ? [.key(.escape)] : []
      #expect(events(pieces) == expected[..<1] + escape + expected[1...], "\(texts)")
    }
  }

  @Test func `Everything within a paste is text, keys and the mouse are left out`() {
    var parser = InputParser()
    for scalar in "\u{1B}[200~a".unicodeScalars { parser.take(.character(scalar.value)) }
    parser.take(.event(.key(.up)))
    parser.take(.event(.mouse(MouseEvent(.press, at: Point(x: 0, y: 0)))))
    parser.take(.other)
    for scalar in "b\u{1B}[201~".unicodeScalars { parser.take(.character(scalar.value)) }
    #expect(parser.events == [.paste("ab")])
  }

  @Test func `A paste has its bounds, and what comes behind it is read`() {
    let text = String(repeating: "x", count: InputParser.mostPasted + 9)
    let found = events("\u{1B}[200~\(text)\u{1B}[201~q")
    #expect(found == [.paste(String(text.dropLast(9))), .key("q")])
  }

  @Test(arguments: [
    "\u{1B}d", "\u{1B}é", "\u{1B}\r", "\u{1B}\u{7F}", "\u{1B}Od", "\u{1B}[1;3D", "\u{1B}[27;5;100~",
    "\u{1B}[200$d", "\u{1B}[201~", "\u{1B}[\(String(repeating: "1;", count: 99))d",
  ])
  func `A key with Alt, and a sequence that is not known, is for nothing`(sequence: String) {
    #expect(events("a\(sequence)d") == [.key("a"), .key("d")])
  }

  @Test func `An escape is a key where nothing comes right behind it`() {
    #expect(events(["\u{1B}", "d"].map { $0.unicodeScalars[...] }) == [.key(.escape), .key("d")])
    #expect(events("\u{1B}\u{1B}") == [.key(.escape), .key(.escape)])
    // Characters that begin like the rest of a paste's mark are keys if another character follows,
    // or no more input.
    for (rest, keys) in [("[", ["["]), ("[2x", ["[", "2", "x"]), ("]", ["]"])] {
      let found = events(["\u{1B}", rest].map { $0.unicodeScalars[...] })
      #expect(found == [.key(.escape)] + keys.map { .key(.character(Character($0))) })
    }
    // Before a decoded key the escape means Alt; before a mouse event it is a key.
    let press = InputEvent.mouse(MouseEvent(.press, at: Point(x: 0, y: 0)))
    for (event, expected) in [(.key(.up), []), (press, [.key(.escape), press])] {
      var parser = InputParser()
      parser.take(.character(27))
      parser.take(.event(event))
      #expect(parser.events == expected)
    }
  }
}
