import ArgumentParser
import Dispatch
import GenericState
import StoreClient
import StoreHistory
import StoreJournal
import StoreProtocol
import StoreReplica
import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Where a command finds the past: a daemon, or a directory that no daemon uses now.
struct HistoryOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read this data directory instead of asking a daemon, which must not be running.",
      discussion: "Scopes are called by the fields that lead to them then: todos/items/<id>.",
      valueName: "directory",
    ),
    completion: .directory,
    transform: PathArgument.parse,
  )
  var data: String?

  /// Has a question answered.
  ///
  /// - Parameters:
  ///   - connection: Where the daemon is.
  ///   - name: What the daemon calls this client.
  ///   - isEndless: Whether it goes on until a signal comes.
  ///   - body: Asks, and prints.
  /// - Throws: What the program exits with, when it has said why.
  func run(
    _ connection: ConnectionOptions,
    name: String,
    isEndless: Bool = false,
    _ body: @escaping @MainActor (Past) async throws -> Void,
  ) throws {
    guard let data else {
      let connecting = Connecting(options: connection, name: name, isEndless: isEndless)
      return try connecting.run { daemon in try await body(Past(daemon)) }
    }
    let reader: JournalReader
    do {
      reader = try Self.reader(data)
    } catch {
      throw Note.failure(error)
    }
    Task { @MainActor in
      do {
        try await body(Past(reader: reader))
        Storectl.exit()
      } catch {
        Storectl.exit(withError: Note.failure(error))
      }
    }
    dispatchMain()
  }

  /// Opens a data directory that no daemon uses.
  static func reader(_ directory: String) throws -> JournalReader {
    let reader = try JournalReader.whole(directory: directory)
    try checkUnused(directory)
    return reader
  }

  /// Refuses a data directory that a daemon uses.
  static func checkUnused(_ directory: String) throws(CommandError) {
    guard let pid = DirectoryLock.holder(of: directory) else { return }
    throw CommandError(
      .tryAgain,
      "The daemon with pid \(pid) uses \(directory). Ask it, without --data, or stop it first.",
    )
  }
}

/// Answers questions for the past.
@MainActor
final class Past {
  /// Nil where a directory is read.
  let daemon: Daemon?
  private let reader: JournalReader?
  /// The directory as far as its log was listed, and the scope that is looked for in it.
  private var listed: (past: PastReader<GenericPast>, scope: String?)?

  init(_ daemon: Daemon) {
    self.daemon = daemon
    reader = nil
  }

  init(reader: JournalReader) {
    daemon = nil
    self.reader = reader
  }

  /// The epoch of the daemon that answers.
  var epoch: UInt64? { daemon?.connection.client.epoch }

  /// The answer to a question.
  ///
  /// - Parameters:
  ///   - query: The question.
  ///   - waitsForDaemon: Whether a daemon is waited for that has gone, however long that takes.
  /// - Returns: The answer.
  /// - Throws: Why there is none.
  func answer(
    _ query: HistoryQuery,
    waitsForDaemon: Bool = false,
  ) async throws -> HistoryAnswer {
    if let daemon {
      let connection = daemon.connection
      let answer =
        if waitsForDaemon {
          try await connection.history(query)
        } else {
          try await connection.within(Connecting.answerLimit * 6) {
            try await connection.history(query)
          }
        }
      if case .failed(let error) = answer, error.code == .unknownScope,
        case .log(_, _, let scope?, _) = query
      {
        // Names the scope, and those that there are.
        _ = try daemon.description(of: scope)
      }
      return try Self.checked(answer)
    }
    guard case .log(_, _, let scope, _) = query else {
      var past = try reading(GenericPast())
      return try Self.checked(past.answer(query))
    }
    var past = try listing(scope)
    defer { listed = (past, scope) }
    return try Self.checked(past.answer(query))
  }

  /// The directory from where its log was listed to.
  private func listing(_ scope: String?) throws -> PastReader<GenericPast> {
    if let listed, listed.scope == scope { return listed.past }
    let asked = GenericPast(asked: scope ?? "")
    if scope != nil { try asked.check(in: reader?.allSchemas() ?? []) }
    return try reading(asked)
  }

  /// Says so where the records of a directory end before its newest snapshot.
  func tellWhereRecordsEnd() throws {
    guard let reader else { return }
    let (end, newest) = (try reader.endOfRecords(), try reader.extent().newest)
    guard end < newest else { return }
    Note.print(
      "The log ends with revision \(end), and there is a snapshot of revision \(newest): what led "
        + "from one to the other is not kept."
    )
  }

  /// A scope's state at a revision.
  func state(of scope: String, at revision: UInt64) async throws -> JSONValue {
    let query = HistoryQuery.state(revision: revision, scope: scope)
    if let daemon {
      let document = try daemon.description(of: scope).state
      guard case .state(let bytes) = try await answer(query) else { throw Self.otherAnswer }
      let schema = Schema.optional(document.root)
      var decoder = CBORDecoder(bytes)
      let value = try GenericValue(from: &decoder, schema: schema, in: document)
      return JSONProjection.tree(value, schema: schema, in: document)
    }
    var past = try reading(GenericPast(asked: scope))
    _ = try Self.checked(past.answer(query))
    let found = try past.root.found()
    guard let document = past.root.state?.schema else { throw Self.otherAnswer }
    return JSONProjection.tree(found.value, schema: found.schema, in: document)
  }

  private func reading(_ past: GenericPast) throws -> PastReader<GenericPast> {
    guard let reader else { throw Self.otherAnswer }
    return PastReader(reader, past, limits: .unlimited, telling: .all)
  }

  private static func checked(_ answer: HistoryAnswer) throws -> HistoryAnswer {
    guard case .failed(let error) = answer else { return answer }
    throw error
  }

  nonisolated static var otherAnswer: CommandError {
    CommandError(
      .badData,
      "The daemon answered another question. Use programs of the same release.",
    )
  }

  /// The action of an entry, as JSON of its scope's schema.
  func action(_ value: GenericValue, of scope: String) -> JSONValue {
    (daemon?.scopes ?? []).action(value, of: scope)
  }
}

extension [ScopeDescription] {
  /// An action of a scope, as JSON of its schema where that is known.
  func action(_ value: GenericValue, of scope: String) -> JSONValue {
    // A part that is not of its schema is written as JSON can say it without one.
    if let document = find(scope)?.description.action {
      return JSONProjection.tree(value, schema: document.root, in: document)
    }
    return JSONProjection.untyped(value)
  }
}

/// Whether people look at the output, and no program reads it.
var isOutputTerminal: Bool { isatty(StandardOutput.descriptor) == 1 }

/// How many cells a line of the terminal has that standard output goes to; nil where it goes
/// elsewhere, or the terminal does not say.
var outputWidth: Int? {
  var size = winsize()
  guard ioctl(StandardOutput.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
    return nil
  }
  return Int(size.ws_col)
}
