import Logging
import StoreActor
import StoreHistory
import StoreJournal
import StoreProtocol
import StoreServer
import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The hand-over to another process of the daemon's program, such as a new build.
///
/// The successor reads the history while this daemon serves, so it lacks only the last records when
/// it takes over. Only then does this daemon settle, take leave of its clients, and close its files
/// and sockets. If the successor does not serve soon after that, this daemon starts again.
extension StoreHost {
  // MARK: The predecessor

  /// Starts the successor; one that still reads is replaced.
  func beginHandOver() {
    guard !isStopping else { return logger.notice("The daemon is stopping, and is not replaced.") }
    if let successor {
      guard !successor.isPrepared else {
        return logger.notice("Process \(successor.pid) is taking over already.")
      }
      successor.stop()
      self.successor = nil
    }
    if let reason = obstacleToHandOver {
      return logger.error("This daemon cannot be replaced: \(reason)")
    }
    do throws(HostError) {
      let successor = try Successor()
      self.successor = successor
      logger.notice("Process \(successor.pid) reads the history, and then takes over.")
      successor.await { [weak self] isPrepared in
        guard let self else { return }
        if isPrepared {
          service?.stop(saying: "Another process of the daemon takes over.")
        } else {
          let end = successor.ended()
          logger.error("The new process \(end) before it took over. This one goes on.")
          self.successor = nil
        }
      }
    } catch {
      logger.error("\(error)")
    }
  }

  /// The reason for which no other process can take over; nil if there is none.
  private var obstacleToHandOver: String? {
    #if os(Linux)
    if configuration.data == nil { return "it keeps its state in memory." }
    // The end of these processes ends the new one as well.
    if getpid() == 1 { return "it is the first process of its container. Start that again." }
    if ServiceManager.isUnnotified {
      return "its unit is not of Type=notify. Start the unit again."
    }
    return nil
    #else
    return "this is possible on Linux only. Stop it, and start the new build."
    #endif
  }

  /// Ends a successor that does not lead yet, because this daemon is to stop.
  func cancelHandOver() {
    successor?.stop()
    successor = nil
  }

  /// Lets the successor lead, after everything of this daemon was closed.
  ///
  /// - Parameter error: The reason for which this daemon has ended; nil if it is to be replaced, or
  ///   was stopped.
  /// - Throws: ``HostError`` if there is no successor after that.
  func letSuccessorLead(unless error: HostError?) throws(HostError) {
    guard let successor else { return }
    self.successor = nil
    guard error == nil, successor.isPrepared, !isStopWaiting() else { return successor.stop() }
    switch successor.lead(unless: isStopWaiting) {
    case .leads:
      serviceManager?.replaced(by: successor.pid)
      logger.notice("Process \(successor.pid) has taken over.")
      // A request to this process is one to the daemon.
      if isStopWaiting() { kill(successor.pid, SIGTERM) }
      return
    case .isStopped: return
    case .failed(let end):
      logger.error("The new process \(end) and does not serve. This build starts again.")
    }
    LaunchedProgram.current.restart()
    throw HostError(
      .system,
      "This build could not be started again: \(StoreDirectory.systemMessage()).",
      remedy: "Start the daemon. All sent outcomes are kept.",
    )
  }

  // MARK: The successor

  /// The part of a history that was read while another daemon wrote it.
  struct ReadAhead {
    let recovery: Recovery<State>
    /// The snapshot from which it was read, and the newest one.
    var (start, newest): (UInt64, UInt64)
    /// The schema of the last part.
    var schema: SchemaDocument
    /// The bytes of records after the newest snapshot.
    var bytes = 0
  }

  /// Reads the history beside the daemon that this process replaces, and waits until that one has
  /// closed its files; nil without such a daemon.
  func readAhead() throws(HostError) -> ReadAhead? {
    guard let predecessor, let path = configuration.data else { return nil }
    // What could prevent the start is found while the other daemon serves.
    try checkDescriptors()
    _ = try readGrants(makeGrantsFile())
    _ = try daemonKey()
    let form = try durableForm()
    var ahead: ReadAhead
    do throws(JournalError) {
      let reader = try JournalReader.whole(directory: path, root: form.name)
      ahead = try core.withOwnDependencies { () throws(JournalError) in
        var ahead = try begin(reader, form)
        // The rest is read while the daemon is closed: it has to be short.
        var before: UInt64
        repeat {
          before = ahead.recovery.revision
          try readOn(reader, &ahead)
        } while ahead.recovery.revision - before > Self.restRevisions
        return ahead
      }
    } catch {
      throw HostError(error)
    }
    predecessor.send(.prepared)
    while predecessor.receive(within: 100) == .timeout {
      guard isToStop() else { continue }
      throw HostError(.tryAgain, "The daemon was stopped before it took over.", remedy: "")
    }
    return ahead
  }

  /// The number of revisions that may be read after the other daemon was closed.
  private static var restRevisions: UInt64 { 2_000 }

  /// Reads a snapshot: the one before the newest if few records follow that, so that returning
  /// clients find the versions that they have.
  private func begin(
    _ reader: JournalReader,
    _ form: DurableForm<State>,
  ) throws(JournalError) -> ReadAhead {
    do {
      let extent = try reader.extent()
      guard let newest = extent.snapshots.last else { throw HistoryError.withoutState() }
      let earlier = extent.snapshots.dropLast().last
      var start = newest
      // A build that converted another one's state has the result in its snapshot only.
      if let earlier, extent.newest - newest < UInt64(Self.limits.versions),
        extent.beforeRecords <= earlier, try reader.allSchemas() == [form.schema]
      {
        start = earlier
      }
      guard let part = try reader.snapshot(upTo: start) else { throw HistoryError.withoutState() }
      let recovery = makeRecovery(form)
      try recovery.written(by: part.schema)
      try recovery.take(snapshot: part.bytes[...])
      return ReadAhead(
        recovery: recovery,
        start: recovery.revision,
        newest: newest,
        schema: part.schema,
      )
    } catch {
      throw Self.error(error)
    }
  }

  /// Reads the records that have been written since.
  private func readOn(_ reader: JournalReader, _ ahead: inout ReadAhead) throws(JournalError) {
    var failure: (any Error)?
    let recovery = ahead.recovery
    do throws(HistoryError) {
      try reader.records(after: recovery.revision) { part in
        do {
          guard !isToStop() else { throw CodecError(.truncated, "the daemon was asked to stop") }
          guard let records = try part.records(through: .max),
            records.revisions.lowerBound == recovery.revision + 1
          else {
            throw CodecError(.deltaMismatch, "revision \(recovery.revision + 1) is missing")
          }
          if part.schema != ahead.schema {
            try recovery.written(by: part.schema)
            ahead.schema = part.schema
          }
          try recovery.take(records: records.bytes)
          recovery.take(sessionNumbers: part.sessionNumbers)
          if records.revisions.upperBound > ahead.newest { ahead.bytes += records.bytes.count }
          return true
        } catch {
          failure = error
          return false
        }
      }
    } catch {
      throw Self.error(error)
    }
    if let failure { throw Self.error(failure) }
  }

  /// Reads the last records, after the other daemon has closed its files.
  func readRest(
    _ file: JournalDirectory,
    _ ahead: ReadAhead,
  ) throws(JournalError) -> JournalDirectory.Reading {
    let recovery = ahead.recovery
    var reading = try file.readRest(
      after: recovery.revision,
      from: ahead.start,
      writtenBy: ahead.schema.encoded(),
    ) { (part) throws(CodecError) in
      try recovery.take(part)
    }
    reading.bytes += ahead.bytes
    return reading
  }

  private static func error(_ error: any Error) -> JournalError {
    error as? JournalError
      ?? JournalError(.busy, "The history cannot be read beside its daemon: \(error)")
  }
}
