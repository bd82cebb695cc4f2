/// Parses a terminal's output into input events.
///
/// The items are characters, some of which belong to escape sequences, and keys and mouse events
/// that the terminal's reader has already decoded.
///
/// A paste stands between `ESC [200~` and `ESC [201~`. A character directly after an escape was
/// typed with the Alt key, and is ignored; after a pause it is a key of its own.
package struct InputParser {
  /// An item from the terminal.
  package enum Typed {
    case character(UInt32)
    case event(InputEvent)
    /// An ignored key.
    case other
  }

  /// The kind of input that the parser expects next.
  private enum State {
    case key
    /// The second character of an escape sequence.
    case escape
    /// The beginning of a paste, whose escape was reported as a key because its rest arrived late.
    case lateSequence([UInt32])
    /// The rest of a sequence that begins with `ESC [`.
    case sequence([UInt32])
    /// The last character of a sequence that begins with `ESC O`.
    case single
    /// The rest of a paste, and of the sequence at its end.
    case paste(end: [UInt32])
  }

  /// The greatest number of bytes of a paste.
  ///
  /// The parser drops further bytes.
  package static let mostPasted = 1 << 20
  /// The greatest number of characters of a sequence that are examined.
  private static let mostInSequence = 32
  private static let pasteBegins = Array("[200~".unicodeScalars.map(\.value))
  private static let pasteEnds = Array("\u{1B}[201~".unicodeScalars.map(\.value))

  /// The parsed events, until the caller takes them.
  package var events: [InputEvent] = []
  private var state = State.key
  /// Whether the last key was an escape on its own.
  private var isBehindEscape = false
  private var pasted = ""

  package init() {}

  /// Parses the next item.
  package mutating func take(_ typed: Typed) {
    switch (state, typed) {
    case (.paste(let end), .character(let value)): takePasted(value, end)
    // A paste may contain a key's sequence, which is dropped.
    case (.paste, _): break
    case (.escape, .event(.key)), (.escape, .other): state = .key
    case (_, .event(let event)):
      // An escape before a mouse event was pressed on its own.
      pause()
      releaseLate()
      state = .key
      add(event)
    case (_, .other): break
    case (.key, .character(let value)): takeKey(value)
    case (.escape, .character(let value)): takeBehindEscape(value)
    case (.lateSequence(let begun), .character(let value)): takeLate(begun + [value])
    case (.sequence(let begun), .character(let value)): takeSequence(begun, value)
    case (.single, .character): state = .key
    }
  }

  /// Notes that no more input has arrived for the time that terminals need to send a
  /// whole sequence.
  package mutating func pause() {
    switch state {
    case .escape:
      state = .key
      add(.key(.escape))
      isBehindEscape = true
    case .lateSequence(let begun) where begun.count == 1: releaseLate()
    default: break
    }
  }

  private mutating func add(_ event: InputEvent) {
    isBehindEscape = false
    events.append(event)
  }

  private mutating func takeKey(_ value: UInt32) {
    if value == 27 {
      state = .escape
    } else if isBehindEscape, value == Self.pasteBegins[0] {
      state = .lateSequence([value])
    } else if let key = Key(typed: value) {
      add(.key(key))
    }
  }

  private mutating func takeBehindEscape(_ value: UInt32) {
    switch value {
    case 27: add(.key(.escape))
    case 0x5B: state = .sequence([])
    case 0x4F: state = .single
    default: state = .key
    }
  }

  private mutating func takeLate(_ begun: [UInt32]) {
    state = .lateSequence(begun)
    if begun == Self.pasteBegins {
      state = .paste(end: [])
    } else if !Self.pasteBegins.starts(with: begun) {
      releaseLate()
    }
  }

  /// Treats characters as keys if they do not begin a paste.
  private mutating func releaseLate() {
    guard case .lateSequence(let begun) = state else { return }
    (state, isBehindEscape) = (.key, false)
    for value in begun { take(.character(value)) }
  }

  private mutating func takeSequence(_ begun: [UInt32], _ value: UInt32) {
    switch value {
    // The sequence is incomplete, and another one begins.
    case 27: state = .escape
    case 0x40...0x7E:
      state = [0x5B] + begun + [value] == Self.pasteBegins ? .paste(end: []) : .key
    default: if begun.count < Self.mostInSequence { state = .sequence(begun + [value]) }
    }
  }

  private mutating func takePasted(_ value: UInt32, _ begun: [UInt32]) {
    let end = begun + [value]
    if end == Self.pasteEnds {
      state = .key
      add(.paste(pasted))
      pasted = ""
    } else if Self.pasteEnds.starts(with: end) {
      state = .paste(end: end)
    } else if !begun.isEmpty {
      // The characters are text, not the end of the paste. They may contain the beginning of an
      // end.
      state = .paste(end: [])
      for value in end.dropFirst() { takePasted(value) }
    } else if let scalar = Unicode.Scalar(value), pasted.utf8.count < Self.mostPasted {
      pasted.unicodeScalars.append(scalar)
    }
  }

  private mutating func takePasted(_ value: UInt32) {
    if case .paste(let end) = state { takePasted(value, end) }
  }
}

extension Key {
  /// Creates the key that sends a character; nil for a character that views do not take.
  init?(typed value: UInt32) {
    guard let scalar = Unicode.Scalar(value) else { return nil }
    switch value {
    case 9: self = .tab
    case 10, 13: self = .enter
    case 8, 127: self = .backspace
    case 27: self = .escape
    case 1...26:
      guard let letter = Unicode.Scalar(value + 96) else { return nil }
      self = .control(Character(letter))
    case 0..<32: return nil
    default: self = .character(Character(scalar))
    }
  }
}
