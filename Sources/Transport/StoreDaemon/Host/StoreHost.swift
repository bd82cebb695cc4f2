public import Logging
public import StoreActor
public import StoreExposures
public import StoreHistory
import StoreJournal
import StoreProtocol
import StoreServer
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The host of a root store: it owns the store, and serves scopes of it to other processes.
///
/// A daemon is a state, a reducer, exposures and a host:
///
/// ```swift
/// @main
/// struct Main {
///   @MainActor static func main() {
///     let host = StoreHost(
///       initialState: App.State(), exposures: [Expose("app", state: \.self, action: \.self)],
///       configuration: HostConfiguration(directory: "/run/app")
///     ) {
///       App()
///     }
///     host.main()
///   }
/// }
/// ```
///
/// ``main(onReady:)`` prints the line `ready …`, reports errors and exits with their status.
/// ``run(onReady:)`` leaves both to the program; ``start(onEnd:)`` serves from the main queue, for
/// example in a test.
///
/// Reducers, sockets and publishing share the main thread, so everything happens in one order.
@MainActor
public final class StoreHost<State: Sendable, Action: Sendable> {
  /// The place and history of a running daemon.
  public struct Ready: Hashable, Sendable {
    /// Its directory.
    public var directory: String
    /// The epoch of its history.
    public var epoch: UInt64
    /// The revision of its state.
    public var revision: UInt64
  }

  /// The root, for code in the daemon's own process.
  public let store: Store<State, Action>

  /// The root, for code in the daemon's process that is not on the main actor.
  public var root: RootStore<State, Action> { RootStore(core: core) }

  let core: RootCore<State, Action>
  let exposures: [Expose<State, Action>]
  let configuration: HostConfiguration
  let sessionAction: (SessionEvent) -> Action?
  let restoredAction: (Restoration) -> Action?
  /// Called after SIGHUP, for the program to reload its own settings.
  ///
  /// The host has reloaded the grants by then.
  public var onReload: @MainActor () -> Void = {}

  let logger: Logger
  /// The state's form on disk; nil if its type is not a `DurableState`.
  let form: DurableForm<State>?

  // Open while the daemon runs.

  /// Bounded by ``HostConfiguration/directories``.
  var directories: [StoreDirectory] = []
  private var directoryLook: RepeatedLook<DirectoryLoss>?
  private var grantsLook: GrantsLook?
  private var copiesLook: CopiesLook?
  /// The queue that reads the file of grants while the daemon serves.
  var files = FileQueue()
  /// The grants in force.
  var grants = Grants.everything
  private(set) var serviceManager: ServiceManager?
  private var metrics: MetricsEndpoint?
  private(set) var service: HostService?
  private var commits: StoreSubscription?
  private var outputs: StoreSubscription?
  /// The process that is to replace this one; nil if none was started.
  var successor: Successor?
  /// Whether the daemon was asked to stop.
  var isStopping = false
  /// Whether a signal to stop has arrived that no loop has read.
  var isStopWaiting: () -> Bool = { false }
  /// The channel to the daemon that this process replaces; nil without one.
  var predecessor: HandOverChannel?
  /// Whether the host has replayed its history; its store then starts no effects.
  var hasReplayed = false
  /// Whether a daemon that is still reading its history has to end.
  var isToStop: () -> Bool = { false }
  /// The reason why it had to stop.
  private var failure: HostError?

  /// Creates a host, which opens its files and sockets in ``run(onReady:)`` or ``start(onEnd:)``.
  ///
  /// - Parameters:
  ///   - initialState: The root state if none is on disk yet.
  ///   - exposures: The scopes that clients may see; they can see no other state.
  ///   - configuration: The daemon's directories, addresses and time limits. A state is kept on
  ///     disk only if its type is a `DurableState`.
  ///   - logger: The log for the operator.
  ///   - sessionAction: The root action that is sent when a client's session begins or ends.
  ///   - restoredAction: The root action that is sent when the daemon has restarted with the state
  ///     from disk; it lists the effects that were interrupted. It is the last of the first
  ///     revision. Features can use `onRestored` instead.
  ///   - withDependencies: Overrides dependencies of the root's reducer and effects.
  ///   - reducer: The root's reducer.
  @inlinable
  public convenience init<R: Reducer<State, Action>>(
    initialState: @autoclosure () -> State,
    exposures: [Expose<State, Action>],
    configuration: HostConfiguration,
    logger: Logger = Logger(label: "storeactor"),
    sessionAction: @escaping (SessionEvent) -> Action? = { _ in nil },
    restoredAction: @escaping (Restoration) -> Action? = { _ in nil },
    withDependencies: ((inout DependencyValues) -> Void)? = nil,
    @ReducerBuilder<State, Action> reducer: () -> R,
  ) {
    self.init(
      // Created here, because the reducer's concrete type is known here and its calls can
      // be specialized.
      core: RootCore(
        initialState: initialState,
        reducer: reducer,
        withDependencies: withDependencies,
        // The state on disk may replace it.
        entersLater: true,
      ),
      exposures: exposures,
      configuration: configuration,
      logger: logger,
      sessionAction: sessionAction,
      restoredAction: restoredAction,
    )
  }

  @usableFromInline
  init(
    core: RootCore<State, Action>,
    exposures: [Expose<State, Action>],
    configuration: HostConfiguration,
    logger: Logger,
    sessionAction: @escaping (SessionEvent) -> Action?,
    restoredAction: @escaping (Restoration) -> Action?,
  ) {
    form = .ofRoot
    self.core = core
    store = Store(core: core)
    self.exposures = exposures
    self.configuration = configuration
    self.logger = logger
    self.sessionAction = sessionAction
    self.restoredAction = restoredAction
  }

  /// Serves until SIGTERM or SIGINT, until ``stop()`` is called, or until its lock or one of its
  /// sockets has been removed.
  ///
  /// On SIGHUP it reloads the grants, and calls ``onReload``. It notifies a service manager
  /// (`Type=notify` of systemd) when clients can connect, when it reloads and when it stops. The
  /// main thread sends the watchdog messages.
  ///
  /// On SIGUSR2 it starts its program's file again, which may be another build by now, and lets it
  /// take over: see `docs/guides/Running.md`. It then returns without an error.
  ///
  /// It takes over the main thread, so call it there, from a synchronous `main`. Before it returns,
  /// it finishes accepted actions and notifies the clients.
  ///
  /// - Parameter onReady: Called when clients can connect.
  /// - Throws: ``HostError``.
  public func run(onReady: (Ready) -> Void = { _ in }) throws(HostError) {
    #if os(Linux)
    guard MainThread.isCurrent else {
      throw HostError(
        .system,
        "The daemon was not started on the main thread.",
        remedy: "Call run() from a synchronous main: an asynchronous one has left it.",
      )
    }
    _ = LaunchedProgram.current
    predecessor = HandOverChannel.inherited()
    // First, so that no signal is lost.
    let signals = try StopSignals()
    defer { signals.end() }
    isStopping = false
    isStopWaiting = { [unowned signals] in signals.isStopWaiting }
    defer { isStopWaiting = { false } }
    guard let service = try open(unlessStoppedBy: signals) else { return }
    defer { _ = close() }
    beginListening(to: signals)
    let loop = PollLoop(service)
    service.onStop = { loop.stop() }
    onReady(ready)
    tellReady()
    predecessor?.send(.leading)
    do throws(ZeroMQError) {
      try loop.run()
    } catch {
      failure = Self.failure(of: error)
    }
    let error = end(of: service)
    try letSuccessorLead(unless: error)
    if let error { throw error }
    #else
    let signals = try StopSignals()
    _ = try open()
    beginListening(to: signals)
    try start { [self] error in
      guard let error else { exit(EXIT_SUCCESS) }
      end(with: error)
    }
    onReady(ready)
    tellReady()
    withExtendedLifetime(signals) { dispatchMain() }
    #endif
  }

  /// Opens everything; nil if a signal arrived before the history was read completely.
  private func open(unlessStoppedBy signals: StopSignals) throws(HostError) -> HostService? {
    var isStopped = false
    isToStop = {
      isStopped = isStopped || signals.isStopWaiting
      return isStopped
    }
    defer { isToStop = { false } }
    do throws(HostError) {
      return try open()
    } catch {
      guard isStopped else { throw error }
      logger.notice("The daemon was asked to stop, and does not read its history to the end.")
      return nil
    }
  }

  private func beginListening(to signals: StopSignals) {
    serviceManager = ServiceManager(
      logger: logger,
      isSuccessor: predecessor != nil,
    )
    signals.begin(
      onStop: { [weak self] in self?.stop() },
      onReload: { [weak self] in self?.reload() },
      onHandOver: { [weak self] in self?.beginHandOver() },
    )
  }

  private func tellReady() {
    serviceManager?.ready("Serving \(configuration.directory), from revision \(core.revision)")
  }

  private func reload() {
    serviceManager?.reloading()
    grantsLook?.readNow { [weak self] in
      self?.onReload()
      self?.tellReady()
    }
  }

  /// Serves from the main queue, in a program that runs the main queue itself; returns at once.
  ///
  /// - Parameter onEnd: Called when the daemon stops serving, with the reason; nil if ``stop()``
  ///   was called.
  /// - Throws: ``HostError``. All resources are then closed, and the store can still be
  ///   used locally.
  public func start(
    onEnd: @escaping @MainActor (HostError?) -> Void = { _ in }
  ) throws(HostError) {
    let service: HostService
    if let opened = self.service { service = opened } else { service = try open() }
    let loop = QueueLoop(service) { [weak self, weak service] error in
      self?.failure = Self.failure(of: error)
      service?.onStop()
    }
    service.onStop = { [weak self, weak service] in
      loop.stop()
      guard let self, let service else { return }
      onEnd(end(of: service))
    }
    service.wakeUp = { loop.wakeUp() }
    // Actions that the program sends to the store outside a turn are published too.
    commits = core.observeChanges { loop.wakeUp() }
    outputs = core.observeOutputs { _ in loop.wakeUp() }
    loop.start()
  }

  /// Finishes accepted actions, takes leave of clients and ends ``run(onReady:)``.
  public func stop() {
    isStopping = true
    cancelHandOver()
    serviceManager?.stopping()
    service?.stop()
  }

  /// The daemon's directory, epoch and revision; valid only while it runs.
  public var ready: Ready {
    Ready(
      directory: configuration.directory,
      epoch: service?.turn.server.epoch ?? 0,
      revision: core.revision,
    )
  }

  private func open() throws(HostError) -> HostService {
    failure = nil
    SharedProcess.beginHosting()
    try checkStore()
    prepareProcess()
    try configuration.check()
    try checkNames()
    let ahead = try readAhead()
    let directories = try takeDirectories()
    try checkDescriptors()
    let grantsFile = makeGrantsFile()
    let grantsStamp = grantsFile.stamp
    grants = try readGrants(grantsFile)
    let key = try daemonKey()
    warnOfPlainAddresses()
    var generator = SystemRandomNumberGenerator()
    let opened = try openJournal(ahead)
    core.enter()
    let epoch = opened?.epoch ?? generator.next()
    // Before the server takes over the store, because without sockets there is no server.
    let sockets = try openSockets(welcome: Welcome(epoch: epoch), grants, key, opened?.journal)
    let server = ReplicaServer(
      root: core,
      exposures: exposures,
      journal: opened?.root,
      recovered: opened?.recovered,
      epoch: epoch,
      timing: configuration.timing,
      processID: getpid(),
      program: configuration.name,
      now: .current,
      generator: generator,
      grants: grants,
      crashes: openCrashNotes(),
      restoredAction: restoredAction,
      sessionAction: sessionAction,
    )
    let isFirst = opened?.recovered.restoration == nil
    if isFirst, !configuration.startsSafely { server.startFirst() }
    let service = HostService(
      server: server,
      sockets: sockets,
      journal: opened?.journal,
      history: configuration.data.map { HistoryService(directory: $0) },
      keys: keyService(grantsFile, sockets, key),
      logger: logger,
    )
    self.directories = directories
    self.service = service
    do throws(HostError) {
      try letOthersReach(grants.includesUsers)
      metrics = try openMetrics(of: service)
    } catch {
      _ = close()
      throw error
    }
    look(at: directories, opened?.journal, grantsFile, since: grantsStamp)
    return service
  }

  private func prepareProcess() {
    StandardDescriptors.open()
    // A limit of file sizes thus becomes a reported write error instead of the end of the process.
    signal(SIGXFSZ, SIG_IGN)
    #if FAILPOINTS
    Failpoints.install()
    #endif
  }

  /// Starts serving metrics; nil if none are configured.
  private func openMetrics(of service: HostService) throws(HostError) -> MetricsEndpoint? {
    if let metrics = configuration.programMetrics {
      service.turn.server.counters.ofProgram = { metrics.samples }
    }
    guard let address = configuration.metrics else { return nil }
    let endpoint = try MetricsEndpoint(
      MetricsAddress(address),
      hosts: MetricsHosts(configuration.metricsHosts),
    )
    try endpoint.start(logger: logger) { [weak service] in
      service?.turn.server.metrics(at: Moment.current.instant)
    }
    return endpoint
  }

  /// Opens the daemon's own directories, each once, however its path is written.
  private func takeDirectories() throws(HostError) -> [StoreDirectory] {
    var directories: [StoreDirectory] = []
    for (path, option) in configuration.directories {
      if directories.contains(where: { $0.isAt(path) }) { continue }
      directories.append(
        try StoreDirectory(path, option: option, program: configuration.name)
      )
    }
    return directories
  }

  /// Starts watching the files that others may change or remove.
  private func look(
    at directories: [StoreDirectory],
    _ journal: DiskJournal?,
    _ grantsFile: GrantsFile,
    since stamp: GrantsFile.Stamp?,
  ) {
    for directory in directories {
      directory.remember(configuration.data.map(directory.isAt) == true ? journal : nil)
    }
    // Programs that remove temporary files may remove the sockets, or the lock. The closures
    // reference the directories weakly, because their locks must be released when the daemon ends.
    let losses = directories.map { directory -> @Sendable () -> DirectoryLoss? in
      { [weak directory] in directory?.loss }
    }
    directoryLook = RepeatedLook(every: 1) {
      losses.lazy.compactMap { $0() }.first
    } onFinding: { [weak self] in
      self?.end(for: $0)
    }
    grantsLook = GrantsLook(at: grantsFile, since: stamp, files, logger) { [weak self] in
      self?.changed($0)
    }
    if let data = configuration.data {
      let look = CopiesLook(of: data)
      copiesLook = look
      service?.turn.server.counters.ofCopies = { [weak look] in look?.reports ?? [] }
    }
    service?.turn.server.counters.ofHost = { [files] in
      files.delay.map { GrantsLook.obstacle(grantsFile.path, seconds: $0) }
    }
  }

  /// Opens the sockets; if that fails the journal is closed.
  private func openSockets(
    welcome: Welcome,
    _ grants: Grants,
    _ key: CurvePair?,
    _ journal: DiskJournal?,
  ) throws(HostError) -> HostSockets {
    do throws(ZeroMQError) {
      let sockets = try HostSockets(
        configuration,
        limits: Limits(),
        welcome: welcome.encoded(),
        grants: grants,
        key: key,
        logger: logger,
      )
      sockets.onFailure = { [weak self] in self?.end(for: $0) }
      return sockets
    } catch {
      do throws(JournalError) {
        try journal?.close(within: Timing().settling)
      } catch {
        logger.error("\(error)")
      }
      throw HostError(.cannotCreate, "\(error)", remedy: "")
    }
  }

  private func checkStore() throws(HostError) {
    guard !hasReplayed else {
      throw HostError(
        .usage,
        "This daemon has replayed, and its store begins no effect any more.",
        remedy: "Create another StoreHost to run.",
      )
    }
  }

  func checkDescriptors() throws(HostError) {
    FileDescriptorLimit.raise()
    do throws(ZeroMQError) {
      try FileDescriptorLimit.check(least: FileDescriptorLimit.leastOfDaemon)
    } catch {
      throw HostError(.cannotCreate, "\(error)", remedy: "")
    }
  }

  private func checkNames() throws(HostError) {
    if let name = exposures.firstImpossibleName() {
      throw HostError(
        .usage,
        "An exposure is called \(name.debugDescription), which no scope can be called.",
        remedy: "Name it with letters, digits, \"-\", \"_\" and \".\" of ASCII, and \"/\" between "
          + "words, each of which begins with a letter or a digit, in at most 128 bytes.",
      )
    }
    guard let name = exposures.firstRepeatedName() else { return }
    throw HostError(
      .usage,
      "Two exposures are called \"\(name)\", and clients could reach only one of them.",
      remedy: "Give each exposure a name of its own.",
    )
  }

  /// Closes everything.
  ///
  /// - Returns: The reason why the daemon has ended; nil if it was stopped.
  private func end(of service: HostService) -> HostError? {
    let problem = close()
    if let failure { return failure }
    if let reason = service.turn.failure {
      return HostError(
        .system,
        "The daemon could not keep its state any more: \(reason)",
        remedy: service.turn.isFenced
          ? HostError.remedyWhereFenced
          : "Look at the disk, then start the daemon again: all sent outcomes are kept.",
      )
    }
    return problem.map { HostError(.system, "\($0)", remedy: "Look at the disk.") }
  }

  private static func failure(of error: ZeroMQError) -> HostError {
    HostError(.system, "The main loop failed: \(error)", remedy: "See the log.")
  }

  /// Closes all open resources.
  ///
  /// - Returns: The error of closing the journal; nil if it was closed.
  private func close() -> JournalError? {
    commits = nil
    outputs = nil
    metrics?.stop()
    metrics = nil
    // The program may use the store further, even though the daemon no longer serves it.
    let error = service?.close(keepingSnapshot: successor == nil)
    service = nil
    directoryLook = nil
    grantsLook = nil
    copiesLook = nil
    drainFiles()
    directories = []
    return error
  }

  /// Ends the daemon, which cannot continue without its admission of connections.
  private func end(for error: ZeroMQError) {
    failure = HostError(
      .system,
      "Connections cannot be guarded any more: \(error)",
      remedy: "Start the daemon again.",
    )
    stop()
  }

  /// Waits for files of shared values that the last actions have changed.
  private func drainFiles() {
    let files = SharedProcess.drainFiles()
    guard !files.isEmpty else { return }
    logger.error(
      "Files of shared values are not written 5 seconds after the end. See to their disk.",
      metadata: ["files": "\(files.joined(separator: ", "))"],
    )
  }

  /// Ends the daemon, which cannot continue without a lost file.
  private func end(for loss: DirectoryLoss) {
    let error = HostError(loss)
    failure = error
    logger.critical("\(error)")
    switch loss {
    // Writes to a removed file are lost, so no further revision is published.
    case .journal: service?.turn.finish(.failed("\(error)"))
    case .history: service?.turn.finish(.fenced("\(error)"))
    case .clients: stop()
    }
  }
}

extension HostError {
  /// The instruction to the user of a fenced daemon.
  fileprivate static let remedyWhereFenced = """
    Start the daemon again once no other one has the journal: all sent outcomes are kept.
    """

  fileprivate init(_ loss: DirectoryLoss) {
    switch loss {
    case .journal(let file):
      self.init(
        .system,
        "\(file) is gone, or another's: nothing more can be kept.",
        remedy: "Put it back or restore a backup, then start the daemon again.",
      )
    case .history(let file):
      self.init(
        .system,
        "\(file) is gone, or another's: another daemon may have taken over the journal.",
        remedy: Self.remedyWhereFenced,
      )
    case .clients(let file):
      self.init(
        .system,
        "\(file) is gone, or another's: clients cannot find this daemon any more.",
        remedy: "Start it again, in a directory without automatic cleanup.",
      )
    }
  }
}
