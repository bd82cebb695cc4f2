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

/// The source of the past: a daemon, or a directory that no daemon uses now.
struct HistoryOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read this data directory instead of asking a daemon, which must not be running.",
      discussion: "A scope's name is then the path of fields that leads to it: todos/items/<id>.",
      valueName: "directory",
    ),
    completion: .directory,
    transform: PathArgument.parse,
  )
  var data: String?

  /// Runs a command that queries the past.
  ///
  /// - Parameters:
  ///   - connection: The daemon's address.
  ///   - name: The client's name at the daemon.
  ///   - isEndless: Whether the command runs until a signal arrives.
  ///   - body: Queries, and prints.
  /// - Throws: The program's exit status, after the reason was printed.
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

/// Answers queries for the past.
@MainActor
final class Past {
  /// The daemon; nil if a directory is read.
  let daemon: Daemon?
  private let reader: JournalReader?
  /// The reader at its position in the log, and the scope that filters its entries.
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

  /// Returns a page of the log.
  ///
  /// - Parameters:
  ///   - revision: The revision after which it begins.
  ///   - count: The most entries.
  ///   - scope: Only revisions that changed this scope; nil for all.
  ///   - client: Only actions of this client; nil for all.
  ///   - waitsForDaemon: Whether to wait for a disconnected daemon, without a limit.
  /// - Returns: The page.
  /// - Throws: The reason why there is no page.
  func page(
    after revision: UInt64,
    count: UInt64,
    scope: String? = nil,
    client: Identifier? = nil,
    waitsForDaemon: Bool = false,
  ) async throws -> LogPages.Page {
    let query = HistoryQuery.log(after: revision, count: count, scope: scope, client: client)
    let answer = try await answer(query, waitsForDaemon: waitsForDaemon)
    guard case .log(let entries, let reached, let newest) = answer else { throw Past.otherAnswer }
    return LogPages.Page(entries: entries, reached: reached, newest: newest)
  }

  /// Returns the answer to a query.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - waitsForDaemon: Whether to wait for a disconnected daemon, without a limit.
  /// - Returns: The answer.
  /// - Throws: The reason why there is no answer.
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
        // The error names the scope, and the existing scopes.
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

  /// Returns the directory's reader at the position that the listing has reached.
  private func listing(_ scope: String?) throws -> PastReader<GenericPast> {
    if let listed, listed.scope == scope { return listed.past }
    let asked = GenericPast(asked: scope ?? "")
    if scope != nil { try asked.check(in: reader?.allSchemas() ?? []) }
    return try reading(asked)
  }

  /// Reports when the records of a directory end before its newest snapshot.
  func tellWhereRecordsEnd() throws {
    guard let reader else { return }
    let (end, newest) = (try reader.endOfRecords(), try reader.extent().newest)
    guard end < newest else { return }
    Note.print(
      "The log ends with revision \(end), and there is a snapshot of revision \(newest): the "
        + "revisions between them are not kept."
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
  /// An action of a scope, as JSON of its schema if that is known.
  func action(_ value: GenericValue, of scope: String) -> JSONValue {
    // A value that does not fit its schema is written as untyped JSON.
    if let document = find(scope)?.description.action {
      return JSONProjection.tree(value, schema: document.root, in: document)
    }
    return JSONProjection.untyped(value)
  }
}

/// Whether standard output is a terminal.
var isOutputTerminal: Bool { isatty(StandardOutput.descriptor) == 1 }

/// The width in cells of standard output's terminal; nil for other outputs, or if the terminal
/// reports no width.
var outputWidth: Int? {
  var size = winsize()
  guard ioctl(StandardOutput.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
    return nil
  }
  return Int(size.ws_col)
}
