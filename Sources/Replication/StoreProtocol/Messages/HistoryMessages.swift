package import GenericState
package import StoreState

/// A query of a daemon's past (`docs/PROTOCOL.md` §8.3).
package enum HistoryQuery: Hashable, Sendable {
  /// At most `count` records after a revision, oldest first. A scope limits them to its changes, a
  /// client to its actions.
  case log(after: UInt64, count: UInt64, scope: String?, client: Identifier?)
  /// The state of a scope at a revision.
  case state(revision: UInt64, scope: String)
  /// Whether the kept records and snapshots are consistent.
  case verify
}

extension HistoryQuery {
  /// Writes the query: an array that begins with its kind.
  package func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .log(let after, let count, let scope, let client):
      encoder.arrayHeader(5)
      encoder.encode(unsigned: 0)
      encoder.encode(unsigned: after)
      encoder.encode(unsigned: count)
      if let scope { encoder.encode(text: scope) } else { encoder.encodeNull() }
      if let client { encoder.encode(client) } else { encoder.encodeNull() }
    case .state(let revision, let scope):
      encoder.arrayHeader(3)
      encoder.encode(unsigned: 1)
      encoder.encode(unsigned: revision)
      encoder.encode(text: scope)
    case .verify:
      encoder.arrayHeader(1)
      encoder.encode(unsigned: 2)
    }
  }

  /// Reads a query.
  package init(from decoder: inout CBORDecoder) throws(CodecError) {
    let (kind, rest) = try decoder.message()
    let taken: Int
    switch kind {
    case 0:
      taken = try decoder.require(4, of: rest, "a question for the log")
      self = .log(
        after: try decoder.unsigned(),
        count: try decoder.unsigned(),
        scope: try decoder.nullIfPresent() ? nil : try decoder.text(),
        client: try decoder.nullIfPresent() ? nil : try decoder.identifier(),
      )
    case 1:
      taken = try decoder.require(2, of: rest, "a question for a state")
      self = .state(revision: try decoder.unsigned(), scope: try decoder.text())
    case 2:
      taken = 0
      self = .verify
    default: throw decoder.error(.typeMismatch, "expected a question, found kind \(kind)")
    }
    try decoder.skipItems(rest - taken)
  }
}

/// The answer to a query of the past.
package enum HistoryAnswer: Hashable, Sendable {
  /// Records, and the revision after which to continue; `end` is the newest kept revision.
  case log(entries: [GenericValue], next: UInt64, end: UInt64)
  /// A scope's state, an optional.
  case state(ArraySlice<UInt8>)
  /// The revisions and the numbers of records and snapshots that were verified.
  case verified(first: UInt64, last: UInt64, records: UInt64, snapshots: UInt64)
  /// The reason why there is no answer.
  case failed(HistoryError)
}

extension HistoryAnswer {
  /// Writes the answer: an array that begins with its kind.
  package func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .log(let entries, let next, let end):
      encoder.arrayHeader(4)
      encoder.encode(unsigned: 0)
      encoder.encode(unsigned: next)
      encoder.encode(unsigned: end)
      encoder.arrayHeader(entries.count)
      for entry in entries { entry.encode(to: &encoder) }
    case .state(let bytes):
      encoder.arrayHeader(2)
      encoder.encode(unsigned: 1)
      encoder.append(raw: bytes)
    case .verified(let first, let last, let records, let snapshots):
      encoder.arrayHeader(5)
      encoder.encode(unsigned: 2)
      for number in [first, last, records, snapshots] { encoder.encode(unsigned: number) }
    case .failed(let error):
      encoder.arrayHeader(3)
      encoder.encode(unsigned: 3)
      encoder.encode(text: error.code.rawValue)
      encoder.encode(text: error.message)
    }
  }

  /// Reads an answer.
  package init(from decoder: inout CBORDecoder) throws(CodecError) {
    let (kind, rest) = try decoder.message()
    let taken: Int
    switch kind {
    case 0:
      taken = try decoder.require(3, of: rest, "a piece of the log")
      let (next, end) = (try decoder.unsigned(), try decoder.unsigned())
      let entries = try decoder.list { (d) throws(CodecError) in try GenericValue(from: &d) }
      self = .log(entries: entries, next: next, end: end)
    case 1:
      taken = try decoder.require(1, of: rest, "a state")
      self = .state(try decoder.rawItem())
    case 2:
      taken = try decoder.require(4, of: rest, "the range of a verification")
      self = .verified(
        first: try decoder.unsigned(),
        last: try decoder.unsigned(),
        records: try decoder.unsigned(),
        snapshots: try decoder.unsigned(),
      )
    case 3:
      taken = try decoder.require(2, of: rest, "a refusal")
      let code = HistoryError.Code(rawValue: try decoder.text()) ?? .unavailable
      self = .failed(HistoryError(code, try decoder.text()))
    default: throw decoder.error(.typeMismatch, "expected an answer, found kind \(kind)")
    }
    try decoder.skipItems(rest - taken)
  }
}

/// The reason why a query of the past has no answer.
package struct HistoryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  package enum Code: String, Hashable, Sendable {
    /// The revision is no longer kept.
    case gone
    /// The revision does not exist yet.
    case future
    /// There is no such scope.
    case unknownScope
    /// The kept data is damaged.
    case corrupt
    /// The answer is not available now.
    case unavailable
    /// The daemon keeps no history.
    case notKept
    /// The query exceeds a limit.
    case tooLarge
    /// The query requires the right to see everything.
    case unauthorised
  }

  package var code: Code
  /// The fault, the expectation and the remedy.
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }

  /// The daemon's answer to a client with some rights, but not all.
  package static let notEverything = HistoryError(
    .unauthorised,
    "Only the daemon's own user and root may have all that is kept looked through: grants, also "
      + "those of keys, are for scopes. Ask on the daemon's machine as its user, or by ssh://.",
  )

  /// The answer of a daemon that has its state in memory only.
  package static let inMemoryOnly = HistoryError(
    .notKept,
    "This daemon keeps no history: its state is in memory only.",
  )
}
