import Logging
import StoreActor
import StoreHistory
import StoreJournal
import StoreProtocol
import StoreServer
import StoreState
import Synchronization
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The state on disk: recovered at the start, and taken over.
extension StoreHost {
  struct OpenedJournal {
    let journal: DiskJournal
    let root: RootJournal<State>
    let recovered: Recovered<State>
    let epoch: UInt64
  }

  /// Recovers the state from disk.
  ///
  /// - Parameter ahead: What was read of it before; nil to read all of it.
  /// - Returns: The journal; nil if the state is kept in memory only.
  /// - Throws: ``HostError``.
  func openJournal(_ ahead: ReadAhead? = nil) throws(HostError) -> OpenedJournal? {
    guard let path = configuration.data else { return nil }
    let form = try durableForm()
    do throws(JournalError) {
      return try core.withOwnDependencies { () throws(JournalError) in
        try openJournal(in: path, form, ahead)
      }
    } catch {
      throw HostError(error)
    }
  }

  func durableForm() throws(HostError) -> DurableForm<State> {
    guard let form else {
      throw HostError(
        .usage,
        "\(State.self) cannot be kept in a data directory: it is not DurableState.",
        remedy: "Declare that conformance, with @ObservableState, or set no data directory.",
      )
    }
    guard form.forgetful.isEmpty else {
      throw HostError(
        .usage,
        "Values that these types hide, or share without a key, would be lost when the daemon "
          + "starts again: \(form.forgetful.joined(separator: ", ")).",
        remedy: "Declare the types as DurableState in place of ReplicatedState, and give each "
          + "shared value a key, or mark it @ReplicationIgnored and @DurableIgnored.",
      )
    }
    let lost = StoredActionForm<Action>()?.forgetful ?? []
    guard lost.isEmpty else {
      throw HostError(
        .usage,
        "Actions would be stored without the values that these types hide: "
          + "\(lost.joined(separator: ", ")).",
        remedy: "Declare the types as DurableState in place of ReplicatedState, or mark the cases "
          + "that contain them @DurableIgnored.",
      )
    }
    return form
  }

  private func openJournal(
    in path: String,
    _ form: DurableForm<State>,
    _ ahead: ReadAhead?,
  ) throws(JournalError) -> OpenedJournal {
    let file = try openDirectory(path, form)
    warnOfMemory(file)
    let recovery = ahead?.recovery ?? makeRecovery(form)
    let (reading, isEmpty, hasSnapshot) =
      if let ahead {
        (try readRest(file, ahead), false, true)
      } else {
        try read(file, form, into: recovery)
      }
    var bytes = reading.bytes
    if let obstacle = reading.obstacle { warn(of: obstacle) }
    var recovered = recovery.finish(wasStopped: file.opening.isClean)
    if configuration.startsSafely { recovered.restoration = recovered.restoration?.heldBack }
    // All of the history could be read, so this program writes from now on.
    let beginning = recovered.revision == 0 ? Self.sum(recovered.root, form) : 0
    try file.begin(at: recovered.revision, initial: beginning)
    warnOfCache(path)
    Failpoint.reach(.afterRecovery)
    tellDoubt(of: file, endingAt: recovered.revision)
    try tellForeign(file)
    if isEmpty {
      core.enter()
      try keep(recovered, form, in: file)
    } else {
      if !file.opening.isSameBuild || !hasSnapshot {
        bytes = try carryOver(recovered, form, in: file)
      }
      core.restore(recovered.root, revision: recovered.revision)
      tellReturn(of: recovered, file)
    }
    return OpenedJournal(
      journal: DiskJournal(file, configuration.retention),
      root: RootJournal(form, recorder: try recorder(behind: recovered, bytes, in: file)),
      recovered: recovered,
      epoch: file.opening.epoch,
    )
  }

  func makeRecovery(_ form: DurableForm<State>) -> Recovery<State> {
    Recovery(form, initial: core.state, revision: core.revision, owner: geteuid())
  }

  /// Passes the history to a recovery.
  ///
  /// - Returns: The result of reading, whether there is no history, and whether it has a snapshot.
  private func read(
    _ file: JournalDirectory,
    _ form: DurableForm<State>,
    into recovery: Recovery<State>,
  ) throws(JournalError) -> (JournalDirectory.Reading, isEmpty: Bool, hasSnapshot: Bool) {
    var (isEmpty, hasSnapshot) = (true, false)
    var progress = RecoveryProgress(through: file.opening.newest, at: LoopClock.nanoseconds)
    let initial = configuration.beginsWithInitialState ? Self.sum(core.state, form) : nil
    let reading = try file.read(
      from: initial,
      atLeast: Self.limits.versions,
    ) { (part) throws(CodecError) in
      guard !isToStop() else { throw CodecError(.truncated, "the daemon was asked to stop") }
      switch part {
      case .build: break
      case .snapshot: (isEmpty, hasSnapshot) = (false, true)
      case .records:
        isEmpty = false
        Failpoint.reach(.duringRecovery)
      }
      try recovery.take(part)
      if let text = progress.text(at: recovery.revision, LoopClock.nanoseconds) {
        logger.notice("\(text)", metadata: ["data": "\(file.directory)"])
      }
    }
    return (reading, isEmpty, hasSnapshot)
  }

  /// Reports that history before the newest snapshot is damaged, which a restart can do without.
  private func warn(of obstacle: JournalError) {
    logger.warning(
      """
      The history could not be read from the snapshot before the newest one. The state is \
      complete, but clients that return may receive all of it. \(obstacle.fault)
      """
    )
  }

  /// Creates the recorder of the revisions from now on.
  ///
  /// - Parameters:
  ///   - recovered: The recovered state.
  ///   - bytes: The bytes of records after the newest snapshot.
  ///   - file: The journal's directory.
  /// - Returns: The recorder.
  /// - Throws: ``JournalError``.
  private func recorder(
    behind recovered: Recovered<State>,
    _ bytes: Int,
    in file: JournalDirectory,
  ) throws(JournalError) -> Recorder {
    let recorder = Recorder(
      revision: recovered.revision,
      history: recovered.history,
      bytes: bytes,
      limits: Self.limits,
    )
    recorder.nanoseconds = { LoopClock.nanoseconds }
    if let lone = try file.loneSnapshot, lone.bytes <= Self.mostBytesOfSecondSnapshot {
      recorder.wantsSecondSnapshot(behind: lone.revision)
    }
    return recorder
  }

  /// The largest lone snapshot for which a second one is made early, as writing it takes time.
  private static var mostBytesOfSecondSnapshot: Int { 64 << 20 }

  /// The checksum of a state in its durable form.
  private static func sum(_ state: State, _ form: DurableForm<State>) -> UInt64 {
    SipHash24.hash(form.encoded(state)[...])
  }

  private func openDirectory(
    _ path: String,
    _ form: DurableForm<State>,
  ) throws(JournalError) -> JournalDirectory {
    try JournalDirectory(
      directory: path,
      root: form.name,
      schema: form.schema,
      durability: configuration.durability,
      epoch: .random(in: 0 ... .max),
      segmentBytes: Self.segmentBytes,
      mustExist: configuration.requiresHistory,
      onSearch: search(in: path),
    )
  }

  private func keep(
    _ recovered: Recovered<State>,
    _ form: DurableForm<State>,
    in file: JournalDirectory,
  ) throws(JournalError) {
    try file.write(
      recovered.snapshot(form),
      of: recovered.revision,
      after: file.mark(at: recovered.revision),
    )
    JournalDirectory.remove(try file.unneededSnapshots())
  }

  /// Writes another build's recovered state in this build's form, before any record of this build.
  ///
  /// These records can then be read without the other build's types as well.
  ///
  /// - Returns: The bytes of records after the newest snapshot; a large number if none could
  ///   be written.
  private func carryOver(
    _ recovered: Recovered<State>,
    _ form: DurableForm<State>,
    in file: JournalDirectory,
  ) throws(JournalError) -> Int {
    do throws(JournalError) {
      try keep(recovered, form, in: file)
      return 0
    } catch  where error.code.isForNow {
      // Makes a snapshot due as soon as the disk has room.
      return .max / 2
    }
  }

  /// Logs the progress of a search in the log, and cancels it when the daemon has to stop.
  private func search(in path: String) -> LogSearch {
    let progress = SearchProgress(at: LoopClock.nanoseconds)
    return LogSearch { [weak self] place, count in
      // A history is opened on the main thread.
      MainActor.assumeIsolated {
        guard let self, !self.isToStop() else { return false }
        if let text = progress.text(at: place, of: count, LoopClock.nanoseconds) {
          self.logger.notice("\(text)", metadata: ["data": "\(path)"])
        }
        return true
      }
    }
  }

  private func warnOfMemory(_ file: JournalDirectory) {
    guard configuration.durability != .none, file.isInMemory else { return }
    logger.warning(
      """
      The data directory is in memory: it is gone when the machine shuts down, despite \
      --durability promises. Name a directory on a disk with --data.
      """,
      metadata: [
        "data": "\(file.directory)", "durability": "\(configuration.durability.rawValue)",
      ],
    )
  }

  private func warnOfCache(_ path: String) {
    guard configuration.durability != .none, DurableFile.lacksFlush.load(ordering: .relaxed) else {
      return
    }
    logger.warning(
      """
      The file system cannot flush the disk's own cache (F_FULLFSYNC): a power failure may lose \
      the cache's contents, despite --durability. Name a directory on another disk.
      """,
      metadata: ["data": "\(path)"],
    )
  }

  private func tellReturn(of recovered: Recovered<State>, _ file: JournalDirectory) {
    logger.notice(
      "The state of revision \(recovered.revision) is back.",
      metadata: ["data": "\(file.directory)", "wasStopped": "\(file.opening.isClean)"],
    )
    let effects = recovered.history.effects.sorted { $0.key < $1.key }.map(\.value)
    guard configuration.startsSafely, !effects.isEmpty else { return }
    logger.notice(
      """
      The features are not informed of interrupted work, because the daemon starts safely. The \
      next start without this setting informs them.
      """,
      metadata: ["work": .array(effects.prefix(100).map { "\($0.name)" })],
    )
  }

  private func tellForeign(_ file: JournalDirectory) throws(JournalError) {
    for path in try file.strangers {
      logger.error(
        """
        An entry with a journal's name is no file: it is passed over, and stays. Its records \
        stay in the log. Move it away, and find its cause.
        """,
        metadata: ["path": "\(path)"],
      )
    }
    for path in file.foreignSnapshots {
      logger.error(
        """
        A snapshot is of another history: it is passed over, and stays. Move it away, and find out \
        its cause.
        """,
        metadata: ["snapshot": "\(path)"],
      )
    }
  }

  private func tellDoubt(of file: JournalDirectory, endingAt revision: UInt64) {
    if file.opening.tornBytes > 0 {
      logger.error(
        """
        The journal's log is torn after revision \(revision): the bytes after it are no whole \
        entry. One was being written when the program or the machine ended, or the file was \
        changed since. They are cut off, and kept beside the log.
        """,
        metadata: ["data": "\(file.directory)", "bytes": "\(file.opening.tornBytes)"],
      )
    }
    guard let doubt = file.opening.doubt else { return }
    logger.error(
      "The history may lack revisions that clients saw: \(doubt). They fetch their state again.",
      metadata: ["data": "\(file.directory)"],
    )
  }

  private static var segmentBytes: Int {
    #if FAILPOINTS
    if let bytes = Failpoints.segmentBytes { return bytes }
    #endif
    return JournalDirectory.segmentBytes
  }

  static var limits: Limits {
    var limits = Limits()
    #if FAILPOINTS
    if let bytes = Failpoints.recordBytesPerSnapshot { limits.recordBytesPerSnapshot = bytes }
    #endif
    return limits
  }
}

extension Recovery {
  /// Takes a part of a history, in the order of reading.
  func take(_ part: JournalDirectory.Part) throws(CodecError) {
    switch part {
    case .build(let schema): try written(by: schema)
    case .snapshot(let bytes): try take(snapshot: bytes[...])
    case .records(let bytes, let sessionNumbers):
      try take(records: bytes[...])
      take(sessionNumbers: sessionNumbers)
    }
  }
}
