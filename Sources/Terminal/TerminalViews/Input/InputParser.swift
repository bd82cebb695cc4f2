/// Makes input of what a terminal sends: characters, of which some belong to a sequence that begins
/// with escape, and what whoever reads the terminal knows as keys and as the mouse already.
///
/// A paste stands between `ESC [200~` and `ESC [201~`. A character right behind an escape is one
/// with the Alt key, which is for nothing; behind a pause it is a key of its own.
package struct InputParser {
  /// What a terminal has sent.
  package enum Typed {
    case character(UInt32)
    case event(InputEvent)
    /// A key that is for nothing.
    case other
  }

  /// What is awaited next.
  private enum State {
    case key
    /// What belongs to an escape.
    case escape
    /// A paste's beginning behind an escape that was taken for a key, since its rest came late.
    case lateSequence([UInt32])
    /// The rest of a sequence that begins with `ESC [`.
    case sequence([UInt32])
    /// The last character of a sequence that begins with `ESC O`.
    case single
    /// The rest of a paste, and of the sequence at its end.
    case paste(end: [UInt32])
  }

  /// The most bytes of a paste that are taken: what comes behind them is left out.
  package static let mostPasted = 1 << 20
  /// The most characters of a sequence that are looked at.
  private static let mostInSequence = 32
  private static let pasteBegins = Array("[200~".unicodeScalars.map(\.value))
  private static let pasteEnds = Array("\u{1B}[201~".unicodeScalars.map(\.value))

  /// What was typed, until somebody takes it.
  package var events: [InputEvent] = []
  private var state = State.key
  /// Whether the last key was an escape on its own.
  private var isBehindEscape = false
  private var pasted = ""

  package init() {}

  /// Takes what comes next.
  package mutating func take(_ typed: Typed) {
    switch (state, typed) {
    case (.paste(let end), .character(let value)): takePasted(value, end)
    // A paste that holds what a key sends.
    case (.paste, _): break
    case (.escape, .event(.key)), (.escape, .other): state = .key
    case (_, .event(let event)):
      // An escape that the mouse follows was pressed on its own.
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

  /// Notes that nothing more has come for as long as terminals need to send a whole sequence.
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

  /// Takes for keys what is no paste's beginning.
  private mutating func releaseLate() {
    guard case .lateSequence(let begun) = state else { return }
    (state, isBehindEscape) = (.key, false)
    for value in begun { take(.character(value)) }
  }

  private mutating func takeSequence(_ begun: [UInt32], _ value: UInt32) {
    switch value {
    // A sequence that was broken off.
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
      // No end, but text; it may begin another one.
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
  /// The key that sends a character; nil for one that is not for views.
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
