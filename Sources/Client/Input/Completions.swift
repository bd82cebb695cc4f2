import ArgumentParser
import StoreClient
import StoreProtocol
import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What can stand at a place of the command line, as a running daemon says.
///
/// Whoever presses the tabulator has not asked for a daemon: where none answers in a moment,
/// nothing is completed, and nothing is said.
enum Completions {
  /// Takes names that can stand there.
  private typealias Offer = @MainActor ([String]) -> Void

  private static let patience: Duration = .milliseconds(80)
  /// For so long questions for rows are asked.
  private static let searching: Duration = .milliseconds(50)
  /// When the program ends whatever it waits for: who has pressed a key sees nothing but the wait.
  private static let deadline: useconds_t = 110_000
  private static let mostRows = 200
  /// One connection may ask for so much in a second, and has asked for a description.
  private static let mostQuestions = 60
  private static let optionsWithValues: Set = [
    "--dir", "--connect", "--owner", "--timeout", "--trace",
  ]

  /// The names of scopes, and of the first rows.
  static let scopes = CompletionKind.custom { words, place, prefix in
    ask(words, at: place) { try await findScopes(of: $0, beginningWith: prefix, $1) }
  }

  /// The actions of the scope that stands before: those without payload, which are their names.
  static let actions = CompletionKind.custom { words, place, prefix in
    guard let scope = positional(words.drop { $0 != "send" }.dropFirst()).first else { return [] }
    return ask(words, at: place) { daemon, offer in
      let actions = try daemon.description(of: scope).actions
      offer(actions.filter { $0.payload.isEmpty && $0.name.hasPrefix(prefix) }.map(\.name))
    }
  }

  private static func ask(
    _ words: [String],
    at place: Int,
    _ body: @escaping @MainActor (Daemon, Offer) async throws -> Void,
  ) -> [String] {
    guard !isRest(place, of: words) else { return [] }
    endInTime(deadline)
    // What was found is printed as a whole.
    defer { endInTime(0) }
    do {
      let options = try ConnectionOptions.parse(connectionOptions(in: words))
      // Nobody is asked for a password by a tabulator.
      guard case .location(let place) = try options.place() else { return [] }
      let location = try place.enrolled()
      let found = try MainActor.assumeIsolated {
        try StoreConnection.run(to: location, name: "storectl completion", isListed: false) {
          connection in
          var found: [String] = []
          // What is found in time counts, whatever ends the search.
          try? await connection.within(patience) {
            let daemon = Daemon(connection)
            try await daemon.describe()
            try await body(daemon) { found += $0 }
          }
          return found
        }
      }
      return found.filter(isPlain).compactMap(asWord)
    } catch {
      // There is nobody to ask, and nobody who wants to know that.
      return []
    }
  }

  /// Ends the program, in silence, in so many microseconds; in 0 not any more.
  private static func endInTime(_ microseconds: useconds_t) {
    signal(SIGALRM) { _ in _exit(0) }
    ualarm(microseconds, 0)
  }

  /// Whether a shell takes a name for nothing but a word.
  ///
  /// Bash expands the words that it chooses from: what a daemon calls its rows must not be a
  /// command to it, nor an option to us.
  private static func isPlain(_ name: String) -> Bool {
    !name.hasPrefix("-")
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "/._:@+,%=-".utf8.contains(byte)
        }
      }
  }

  /// A name as the shell that asks wants it; nil where it would not take it for one word.
  private static func asWord(_ name: String) -> String? {
    switch CompletionShell.requesting {
    // What is behind a colon describes what is before it.
    case .zsh: name.replacing(":", with: "\\:")
    case .bash: name.contains { ":=@".contains($0) } ? nil : name
    default: name
    }
  }

  /// Whether a word is what bash sees behind a colon or an equals sign, where a word ends to it.
  private static func isRest(_ place: Int, of words: [String]) -> Bool {
    CompletionShell.requesting == .bash && words.indices.contains(place - 1)
      && [":", "="].contains(words[place - 1])
  }

  /// The words that say where the daemon is.
  private static func connectionOptions(in words: [String]) -> [String] {
    var found: [String] = []
    for (place, word) in words.enumerated() where word.hasPrefix("--") {
      let name = word.prefix { $0 != "=" }
      guard ["--dir", "--connect", "--owner"].contains(name) else { continue }
      found.append(word)
      if name == word, place + 1 < words.count { found.append(words[place + 1]) }
    }
    return found
  }

  /// The words that are no options.
  private static func positional(_ words: ArraySlice<String>) -> [String] {
    var found: [String] = []
    var isValue = false
    for word in words {
      defer { isValue = optionsWithValues.contains(word) }
      if !isValue, !word.hasPrefix("-") { found.append(word) }
    }
    return found
  }
}

// MARK: - Scopes

extension Completions {
  @MainActor
  private static func findScopes(
    of daemon: Daemon,
    beginningWith prefix: String,
    _ offer: Offer,
  ) async throws {
    let plain = daemon.scopes.filter { !$0.isEach && $0.name.hasPrefix(prefix) }.map(\.name)
    offer(plain)
    for scope in daemon.scopes where scope.isEach {
      let beginning = "\(scope.name)/"
      if prefix.hasPrefix(beginning) || (plain.isEmpty && beginning.hasPrefix(prefix)) {
        try await findRows(of: beginning, daemon, beginningWith: prefix, offer)
      } else if beginning.hasPrefix(prefix) {
        offer([beginning])
      }
    }
  }

  /// Finds the names of the first rows.
  ///
  /// A daemon looks at a part of its rows for each question.
  @MainActor
  private static func findRows(
    of beginning: String,
    _ daemon: Daemon,
    beginningWith prefix: String,
    _ offer: Offer,
  ) async throws {
    let scope = String(beginning.dropLast())
    let ids = prefix.hasPrefix(beginning) ? String(prefix.dropFirst(beginning.count)) : ""
    let end = ContinuousClock.now + searching
    var (left, questions) = (mostRows, 0)
    var next: UInt64? = 0
    while let start = next, left > 0, questions < mostQuestions, .now < end {
      let query = RowQuery(scope: scope, prefix: ids, start: start)
      let answer = try await daemon.connection.rows(query)
      let found = answer.ids.map { "\(beginning)\($0)" }
        .filter { $0.hasPrefix(prefix) && isPlain($0) }.prefix(left)
      offer(Array(found))
      left -= found.count
      questions += 1
      // Where a daemon does not get on there is nothing more to be had.
      next = answer.next.flatMap { $0 > start ? $0 : nil }
    }
  }
}
