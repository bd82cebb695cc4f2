import Foundation
import Logging
import StoreDaemon
import StoreProtocol
import StoreState
import StoredWorkspace
import StoredWorkspaceLive
import TraceExport

/// How the daemon runs: what its options, the environment and its file of settings came to.
struct DaemonSettings {
  /// A setting that is in force, and where it comes from.
  struct Line: Hashable {
    var setting: Setting
    var value: String
    var origin: String
  }

  private(set) var host: HostConfiguration
  private(set) var logLevel = Logger.Level.notice
  private(set) var logFormat = DaemonLog.Format.text
  private(set) var numberFactBaseURL: String?
  /// Where an earlier version kept the state, if that was elsewhere; nil where it was told where.
  private(set) var former: FormerData?
  /// The file that spans are written to; nil for none.
  private(set) var trace: String?
  /// What is in force.
  private(set) var lines: [Line] = []

  /// Takes over what was found; what was not is as it is by default.
  ///
  /// - Parameters:
  ///   - reader: Looks for settings.
  ///   - environment: The process's, which has directories by default.
  /// - Throws: A ``SettingsError`` that names the place of what makes no sense.
  init(_ reader: SettingsReader, environment: [String: String]) throws(SettingsError) {
    let dir = reader.find(.dir)
    let directories = UserDirectories(environment: environment)
    let sockets = dir == nil ? directories.ofSockets : nil
    guard let directory = dir?.texts.first ?? sockets?.path else {
      throw SettingsError(.cannotCreate, "\(HomeError()) Or name a directory with --dir.")
    }
    host = HostConfiguration(directory: directory)
    host.hasOptions = true
    let data = try Self.data(reader, host, dir, directories)
    host.data = data?.path
    if dir == nil, reader.find(.data) == nil, let path = data?.path {
      former = FormerData(environment, now: path)
    }
    host.listen = reader.find(.listen)?.texts ?? []
    host.grants = reader.find(.grants)?.texts.first
    host.key = reader.find(.key)?.texts.first
    host.metrics = reader.find(.metrics)?.texts.first
    host.metricsHosts = reader.find(.metricsHosts)?.texts ?? []
    host.trustedOwner = try Self.number(.trustOwner, reader).map { UInt32($0) }
    host.allowsInsecureLoopback = try Self.flag(reader.find(.insecureLoopback))
    host.requiresHistory = try Self.flag(reader.find(.existing))
    host.beginsWithInitialState = try Self.flag(reader.find(.fromInitialState))
    if let found = reader.find(.durability) {
      host.durability = try Self.choice(found, Durability.allCases)
    }
    if let time = try Self.number(.leaseMilliseconds, reader) { host.lease = .milliseconds(time) }
    if let time = try Self.number(.graceMilliseconds, reader) { host.grace = .milliseconds(time) }
    if let bytes = try Self.number(.retainBytes, reader) { host.retention.bytes = Int(bytes) }
    if let age = try Self.number(.retainSeconds, reader) { host.retention.age = .seconds(age) }
    if let found = reader.find(.logLevel) {
      logLevel = try Self.choice(found, Logger.Level.allCases)
    }
    if let found = reader.find(.logFormat) {
      logFormat = try Self.choice(found, DaemonLog.Format.allCases)
    }
    numberFactBaseURL = reader.find(.numberFactBaseURL)?.texts.first
    trace = reader.find(.trace)?.texts.first
    let sources: [Setting: String?] = [.dir: sockets?.source, .data: data?.source]
    lines = Setting.allCases.map { setting in
      let usual = sources[setting]?.map { "default, from \($0)" } ?? "default"
      let origin = reader.find(setting)?.place ?? usual
      return Line(setting: setting, value: value(of: setting), origin: origin)
    }
  }

  /// Checks what the values mean, as far as that can be seen before something is opened.
  ///
  /// - Parameter reader: What has found them.
  /// - Throws: A ``SettingsError`` that names the place of what makes no sense.
  func check(_ reader: SettingsReader) throws(SettingsError) {
    for case let found? in Setting.allCases.map(reader.find) where found.texts.contains("") {
      throw SettingsError(
        found.source == .commandLine ? .usage : .malformed,
        "\(found.place) is empty. Give it a value, or leave it away.",
      )
    }
    let host = host
    try Self.check(.leaseMilliseconds, reader) { () throws(HostError) in try host.checkLease() }
    // Whichever of the two was set does not fit the other.
    let grace: Setting =
      reader.find(.graceMilliseconds) == nil ? .leaseMilliseconds : .graceMilliseconds
    try Self.check(grace, reader) { () throws(HostError) in try host.checkGrace() }
    try Self.check(.dir, reader) { () throws(HostError) in try host.checkDirectory() }
    try Self.check(.listen, reader) { () throws(HostError) in try host.checkListen() }
    try Self.check(.metrics, reader) { () throws(HostError) in try host.checkMetrics() }
    try Self.check(.numberFactBaseURL, reader) { [numberFactBaseURL] () throws(NumberFactError) in
      if let numberFactBaseURL { _ = try NumberFactClient.live(baseURL: numberFactBaseURL) }
    }
  }

  private static func check<Failure: Error>(
    _ setting: Setting,
    _ reader: SettingsReader,
    _ body: () throws(Failure) -> Void,
  ) throws(SettingsError) {
    do throws(Failure) {
      try body()
    } catch {
      let found = reader.find(setting)
      let place = found.map { "\($0.place): " } ?? ""
      throw SettingsError(
        found?.source ?? .commandLine == .commandLine ? .usage : .malformed,
        "\(place)\(error)",
      )
    }
  }

  /// Where the counter gets its facts.
  func numberFactClient() throws(SettingsError) -> NumberFactClient {
    guard let numberFactBaseURL else { return .liveValue }
    do throws(NumberFactError) {
      return try .live(baseURL: numberFactBaseURL)
    } catch {
      throw SettingsError(.usage, "\(error)")
    }
  }

  /// Writes spans from now on, where that is wanted.
  ///
  /// - Parameter onProblem: Is told when spans are lost.
  /// - Returns: What writes them; nil for nothing.
  /// - Throws: A ``SettingsError`` where they cannot be written.
  func traceFile(
    onProblem: @escaping @Sendable (TraceFile.Problem) -> Void
  ) throws(SettingsError) -> TraceFile? {
    guard let trace else { return nil }
    do throws(TraceFile.Problem) {
      return try TraceFile(
        trace,
        service: "stored",
        trusting: host.trustedOwner,
        onProblem: onProblem,
      )
    } catch {
      throw SettingsError(
        error.isUnsafe ? .notAllowed : .cannotCreate,
        "\(error) Choose another file with --trace.",
      )
    }
  }

  private func value(of setting: Setting) -> String {
    switch setting {
    case .dir: host.directory
    case .listen: host.listen.joined(separator: ",")
    case .insecureLoopback: "\(host.allowsInsecureLoopback)"
    case .data: host.data ?? ""
    case .inMemory: "\(host.data == nil)"
    case .existing: "\(host.requiresHistory)"
    case .fromInitialState: "\(host.beginsWithInitialState)"
    case .durability: host.durability.rawValue
    case .grants: host.grants ?? "\(host.directory)/grants"
    case .key: host.key ?? "\(host.directory)/key"
    case .leaseMilliseconds: "\(host.lease.wholeMilliseconds)"
    case .graceMilliseconds: "\(host.grace.wholeMilliseconds)"
    case .retainBytes: "\(host.retention.bytes)"
    case .retainSeconds: host.retention.age.map { "\($0.components.seconds)" } ?? ""
    case .metrics: host.metrics ?? ""
    case .metricsHosts: host.metricsHosts.joined(separator: ",")
    case .trustOwner: host.trustedOwner.map { "\($0)" } ?? ""
    case .trace: trace ?? ""
    case .logLevel: logLevel.rawValue
    case .logFormat: logFormat.rawValue
    case .numberFactBaseURL: numberFactBaseURL ?? ""
    }
  }
}

// MARK: - Values

extension DaemonSettings {
  /// Where the state is kept; nil for in memory only.
  private static func data(
    _ reader: SettingsReader,
    _ host: HostConfiguration,
    _ dir: SettingsReader.Found?,
    _ directories: UserDirectories,
  ) throws(SettingsError) -> (path: String, source: String?)? {
    let (data, inMemory) = (reader.find(.data), reader.find(.inMemory))
    if try flag(inMemory), let inMemory {
      // Whoever is asked first may overrule the other, but not itself.
      guard let data, data.source <= inMemory.source else { return nil }
      guard data.source < inMemory.source else {
        throw SettingsError(
          .usage,
          "\(inMemory.place) keeps nothing, and \(data.place) says where to keep it. "
            + "Use one of them.",
        )
      }
    }
    if let data { return data.texts.first.map { ($0, nil) } }
    // Runtime directories are empty when the machine has started again.
    if dir == nil {
      guard let state = directories.find(.state) else {
        throw SettingsError(
          .cannotCreate,
          "\(HomeError()) Or name a directory with --data, or keep nothing with --in-memory.",
        )
      }
      return ("\(state.path)/storeactor", state.source)
    }
    return ("\(host.directory)/data", nil)
  }

  private static func flag(_ found: SettingsReader.Found?) throws(SettingsError) -> Bool {
    guard let found else { return false }
    switch found.texts.first?.lowercased() {
    case "true", "yes", "1": return true
    case "false", "no", "0": return false
    default: throw SettingsError(.malformed, "\(found.place): expected true or false")
    }
  }

  private static func number(
    _ setting: Setting,
    _ reader: SettingsReader,
  ) throws(SettingsError) -> UInt64? {
    guard let found = reader.find(setting), case .number(_, let most) = setting.kind else {
      return nil
    }
    guard let number = found.texts.first.flatMap({ UInt64($0) }), number <= most else {
      throw SettingsError(.malformed, "\(found.place): expected \(setting.expectation)")
    }
    return number
  }

  private static func choice<Value: RawRepresentable<String>>(
    _ found: SettingsReader.Found,
    _ all: [Value],
  ) throws(SettingsError) -> Value {
    let text = found.texts.first ?? ""
    if let value = Value(rawValue: text) { return value }
    let remedy = NearestNames().remedy(for: text, among: all.map(\.rawValue))
    throw SettingsError(
      found.source == .commandLine ? .usage : .malformed,
      "\(found.place): there is no \"\(text)\"\(remedy)",
    )
  }
}

/// Why the daemon's settings cannot be used.
struct SettingsError: Error, Hashable, CustomStringConvertible {
  /// The kind of failure, whose value is what the program exits with (sysexits.h).
  enum Code: Int32 {
    /// An option that makes no sense.
    case usage = 64
    /// A file that could not be read.
    case unreadable = 66
    /// A file that could not be made.
    case cannotCreate = 73
    /// A file that does not say what it should.
    case malformed = 78
    /// A file that another user could have changed.
    case notAllowed = 77
  }

  var code: Code
  /// What was wrong, what was expected and what to do.
  var message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  var exitStatus: Int32 { code.rawValue }
  var description: String { message }
}
