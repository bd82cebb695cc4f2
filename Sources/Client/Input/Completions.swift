import ArgumentParser
import StoreClient
import StoreProtocol
import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Completes words of the command line from a running daemon's answers.
///
/// If no daemon answers within moments, it offers no words and prints no message.
enum Completions {
  /// Receives candidate names.
  private typealias Offer = @MainActor ([String]) -> Void

  private static let patience: Duration = .milliseconds(80)
  /// The time limit for queries of rows.
  private static let searching: Duration = .milliseconds(50)
  /// The time in microseconds after which the program exits, even if it still waits.
  private static let deadline: useconds_t = 110_000
  private static let mostRows = 200
  /// The limit of queries per second of one connection, less one for the description.
  private static let mostQuestions = 60
  private static let optionsWithValues: Set = [
    "--dir", "--connect", "--owner", "--timeout", "--trace",
  ]

  /// The names of scopes, and of the first rows.
  static let scopes = CompletionKind.custom { words, place, prefix in
    ask(words, at: place) { try await findScopes(of: $0, beginningWith: prefix, $1) }
  }

  /// The actions of the preceding scope: those without payload, which are their names.
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
    // The timer is canceled so that the found names are printed completely.
    defer { endInTime(0) }
    do {
      let options = try ConnectionOptions.parse(connectionOptions(in: words))
      // Completion must not prompt for a password.
      guard case .location(let place) = try options.place() else { return [] }
      let location = try place.enrolled()
      let found = try MainActor.assumeIsolated {
        try StoreConnection.run(to: location, name: "storectl completion", isListed: false) {
          connection in
          var found: [String] = []
          // Names that were found in time are kept, even if the search ends with an error.
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
      // Completion ignores errors.
      return []
    }
  }

  /// Exits silently after a number of microseconds; 0 cancels the timer.
  private static func endInTime(_ microseconds: useconds_t) {
    signal(SIGALRM) { _ in _exit(0) }
    ualarm(microseconds, 0)
  }

  /// Whether a shell reads a name as a literal word.
  ///
  /// Bash expands the words that it chooses from: a row's name must not act as a command in bash,
  /// or as an option here.
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

  /// A name, escaped for the requesting shell; nil if the shell would split it.
  private static func asWord(_ name: String) -> String? {
    switch CompletionShell.requesting {
    // In zsh, the text after a colon is a description.
    case .zsh: name.replacing(":", with: "\\:")
    case .bash: name.contains { ":=@".contains($0) } ? nil : name
    default: name
    }
  }

  /// Whether a word follows a colon or an equals sign, which end words in bash.
  private static func isRest(_ place: Int, of words: [String]) -> Bool {
    CompletionShell.requesting == .bash && words.indices.contains(place - 1)
      && [":", "="].contains(words[place - 1])
  }

  /// The options that determine the daemon's address.
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

  /// The words that are neither options nor their values.
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
  /// For each query, a daemon examines a part of its rows.
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
      // A daemon that makes no progress ends the search.
      next = answer.next.flatMap { $0 > start ? $0 : nil }
    }
  }
}
