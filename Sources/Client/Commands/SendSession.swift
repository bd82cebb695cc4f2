import ArgumentParser
import GenericState
import StoreClient
import StoreProtocol
import StoreReplica
import StoreState
import TraceExport
import Tracing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A running `send`: sends actions, and prints their outcomes in the order of the actions.
@MainActor
final class SendSession {
  /// The most actions without an outcome that are read ahead: several times the window.
  private static let mostPending = 4_096
  /// The most bytes of pending output before reading of input pauses.
  private static let mostOutput = 1 << 20

  private let daemon: Daemon
  private let name: String
  private let parser: ActionParser
  private let isJSON: Bool
  private let waitsForEffects: Bool
  private let writer = LineWriter()
  private let progressLine = ProgressLine(printsMeanwhile: true)
  private var target: ClientScope?
  /// The file for each action's span; nil for no traces.
  var traces: TraceFile?

  // The outcomes that arrived before those of earlier actions, by the action's place.
  private var early: [Int: (outcome: OutcomeLine, line: Int?)] = [:]
  private var accepted = 0
  private var printed = 0
  private var worst: CommandError.Status?
  /// Actions whose effects run, as far as is known.
  private var unfinished = 0
  private var onProgress: CheckedContinuation<Void, Never>?

  init(
    _ daemon: Daemon,
    _ name: String,
    isJSON: Bool,
    waitsForEffects: Bool,
  ) throws(CommandError) {
    self.daemon = daemon
    self.name = name
    self.isJSON = isJSON
    self.waitsForEffects = waitsForEffects
    let description = try daemon.description(of: name)
    guard !description.actions.isEmpty else {
      if description.isLimited { throw .mayNotSend(nil, to: description, named: name) }
      throw CommandError(.badData, "The scope \"\(name)\" is read-only: it takes no action.")
    }
    parser = ActionParser(description: description, scope: name)
    writer.onIdle = { [weak self] in self?.progressed() }
  }

  /// Sends all actions, or no action if one is invalid.
  func run(_ texts: [String], timeout: Duration) async throws {
    var actions: [[UInt8]] = []
    var worst: CommandError.Status?
    for (index, text) in texts.enumerated() {
      do throws(CommandError) {
        actions.append(try parser.action(text))
      } catch {
        worst = error.status.worse(than: worst)
        let place = texts.count > 1 ? "action \(index + 1) of \(texts.count): " : ""
        Note.print("\(place)\(error)")
      }
    }
    if let worst { throw CommandError(worst, "No action was sent.") }
    noteEvents()
    for action in actions { submit(action, line: nil, timeout) }
    // The daemon decides within the timeout; later no outcome is expected.
    let patience = timeout + Connecting.answerLimit
    try await daemon.connection.within(patience) { [self] in try await awaitOutcomes() }
    try await finish()
  }

  /// Sends the actions in the lines of an input, until its end.
  func run(_ input: LineReader, timeout: Duration?) async throws {
    noteEvents()
    let signals = StopSignals { [self] in interrupted($0) }
    defer { signals.cancel() }
    daemon.connection.actionTimeToLive = nil
    var number = 0
    while let line = try await input.next() {
      number += 1
      switch line {
      case .text(let text):
        guard text.contains(where: { !$0.isWhitespace }) else { continue }
        do throws(CommandError) {
          submit(try parser.action(text), line: number, timeout)
        } catch {
          reject(.notSent(error), line: number)
        }
      case .notText: reject(.notAnAction("It is not UTF-8."), line: number)
      case .tooLong(let limit):
        reject(.notAnAction("It has more than \(limit) bytes."), line: number)
      }
      tellProgress()
      while writer.failure == nil, isFull {
        await progress()
        tellProgress()
      }
      if writer.failure != nil { break }
    }
    try await finish()
  }

  /// Reports the progress, and ends by the signal as any program does.
  private func interrupted(_ signal: Int32) {
    progressLine.end()
    Note.print(
      "Interrupted: \(Counted.text(accepted, "action")) read, \(printed) with an outcome; the "
        + "other outcomes are unknown."
    )
    raise(signal)
  }

  private func tellProgress() { progressLine.tell("\(accepted) read, \(printed) with an outcome") }

  private func noteEvents() {
    // The regular end of the command is not reported.
    daemon.connection.onEvent = { if $0.kind != .closed { Note.print("\($0)") } }
  }

  // MARK: - Outcomes

  private func submit(_ action: [UInt8], line: Int?, _ timeout: Duration?) {
    let place = accepted
    accepted += 1
    let target = target ?? daemon.connection.target(name, description: parser.description)
    self.target = target
    let span = traces?.startSpan("send \(name)", ofKind: .client)
    let ticket = ServiceContext.withValue(span?.context) {
      daemon.connection.submit(action, to: target, timeToLive: timeout)
    }
    unfinished += 1
    ticket.whenSettled { [weak self] in
      span?.end(with: $0)
      guard let self else { return }
      settled(place, OutcomeLine($0, replies: parser.description.replies), line: line)
    }
    ticket.whenFinished { [weak self] in
      self?.unfinished -= 1
      self?.progressed()
    }
  }

  private func reject(_ outcome: OutcomeLine, line: Int) {
    let place = accepted
    accepted += 1
    settled(place, outcome, line: line)
  }

  private func settled(_ place: Int, _ outcome: OutcomeLine, line: Int?) {
    early[place] = (outcome, line)
    while let next = early.removeValue(forKey: printed) {
      printed += 1
      writer.line(next.outcome.text(asJSON: isJSON, line: next.line))
      if let status = next.outcome.status { worst = status.worse(than: worst) }
    }
    progressed()
  }

  private var isFull: Bool {
    accepted - printed >= Self.mostPending || writer.pendingBytes >= Self.mostOutput
  }

  private func progress() async {
    await withCheckedContinuation { onProgress = $0 }
  }

  private func progressed() {
    onProgress?.resume()
    onProgress = nil
  }

  private func awaitOutcomes() async throws {
    while printed < accepted, writer.failure == nil {
      await progress()
      tellProgress()
    }
    progressLine.end()
  }

  /// Waits for every outcome, optionally for effects, and ends with the worst status.
  private func finish() async throws {
    try await awaitOutcomes()
    while waitsForEffects, unfinished > 0, writer.failure == nil { await progress() }
    // Without a reader of the output, the note is omitted.
    if unfinished > 0, writer.failure == nil {
      Note.print(
        "Effects of \(Counted.text(unfinished, "action")) end with this command; --finish waits "
          + "for them."
      )
    }
    await writer.drained()
    if let error = writer.error { throw error }
    if let worst { throw ExitCode(worst.rawValue) }
  }
}

extension FileSpan {
  /// Ends the span with an action's outcome.
  fileprivate func end(with outcome: Outcome) {
    if case .failed(let failure) = outcome {
      setStatus(SpanStatus(code: .error, message: failure.code))
    } else if let revision = outcome.applied?.revision {
      attributes["storeactor.revision"] = Int64(clamping: revision)
    }
    end()
  }
}

/// Parses text as encoded actions of a scope.
struct ActionParser {
  let description: ScopeDescription
  /// The scope as it was named; nil for the description's own name.
  var scope: String?

  /// Parses an action from its JSON, or from its name alone, because a shell removes the quotes
  /// that JSON requires.
  ///
  /// - Returns: The action's encoding.
  /// - Throws: A `CommandError` with the path in the text and the expectation there.
  func action(_ text: String) throws(CommandError) -> [UInt8] {
    do {
      let tree = Self.isName(text) ? JSONValue.string(text) : try JSONValue(parsing: text)
      if let name = refusedName(tree) {
        throw CommandError.mayNotSend(name, to: description, named: scope ?? description.pattern)
      }
      let document = description.action
      return try JSONProjection.value(from: tree, schema: document.root, in: document).encoded()
    } catch let error as CommandError {
      throw error
    } catch {
      throw CommandError(.badData, "\(error)")
    }
  }

  /// The name of an action that this client may not send, or that does not exist: a restricted
  /// client cannot distinguish the two.
  private func refusedName(_ tree: JSONValue) -> String? {
    guard description.isLimited, let name = Self.name(of: tree) else { return nil }
    return description.actions.contains { $0.name == name } ? nil : name
  }

  /// The name of an action's case; nil if the JSON is not an action.
  private static func name(of tree: JSONValue) -> String? {
    switch tree {
    case .string(let name): name
    case .object(let members) where members.count == 1: members[0].name
    default: nil
    }
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.first, first.isLetter || first == "_" else { return false }
    return !["true", "false", "null"].contains(text)
      && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }
}

extension CommandError {
  /// The error for an action, or all actions, that a restricted client may not send.
  fileprivate static func mayNotSend(
    _ action: String?,
    to description: ScopeDescription,
    named scope: String,
  ) -> Self {
    let remedy = "Ask the daemon's owner to grant it."
    guard let action else {
      return Self(.notAllowed, "You may not send to the scope \(scope.quoted). \(remedy)")
    }
    let names = description.actions.map(\.name)
    let near = NearestNames().remedy(for: action, among: names)
    return Self(
      .notAllowed,
      "You may not send \(action.quoted) to \(scope.quoted), or there is no such action\(near). "
        + "You may send \(names.joined(separator: ", ")). \(remedy)",
    )
  }
}
