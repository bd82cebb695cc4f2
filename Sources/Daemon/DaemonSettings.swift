import Foundation
import Logging
import StoreDaemon
import StoreProtocol
import StoreState
import StoredWorkspace
import StoredWorkspaceLive
import TraceExport

/// The daemon's configuration, from its options, the environment and its settings file.
struct DaemonSettings {
  /// A setting's value in force, and its origin.
  struct Line: Hashable {
    var setting: Setting
    var value: String
    var origin: String
  }

  private(set) var host: HostConfiguration
  private(set) var logLevel = Logger.Level.notice
  private(set) var logFormat = DaemonLog.Format.text
  private(set) var numberFactBaseURL: String?
  /// The directory in which an earlier version kept the state; nil if it is the same, or if
  /// the setting `dir` or `data` is given.
  private(set) var former: FormerData?
  /// The file for spans; nil if spans are not written.
  private(set) var trace: String?
  /// All settings in force.
  private(set) var lines: [Line] = []

  /// Reads the settings; missing ones keep their defaults.
  ///
  /// - Parameters:
  ///   - reader: Finds the settings.
  ///   - environment: The process's environment variables, which determine default directories.
  /// - Throws: A ``SettingsError`` that names the place of an invalid value.
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
    host.startsSafely = try Self.flag(reader.find(.safe))
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

  /// Checks the values, as far as that is possible before any file or socket is opened.
  ///
  /// - Parameter reader: The reader that has found the values.
  /// - Throws: A ``SettingsError`` that names the place of an invalid value.
  func check(_ reader: SettingsReader) throws(SettingsError) {
    for case let found? in Setting.allCases.map(reader.find) where found.texts.contains("") {
      throw SettingsError(
        found.source == .commandLine ? .usage : .malformed,
        "\(found.place) is empty. Give it a value, or omit it.",
      )
    }
    let host = host
    try Self.check(.leaseMilliseconds, reader) { () throws(HostError) in try host.checkLease() }
    // The error names the one of the two that was set.
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

  /// The client for the counter's facts.
  func numberFactClient() throws(SettingsError) -> NumberFactClient {
    guard let numberFactBaseURL else { return .liveValue }
    do throws(NumberFactError) {
      return try .live(baseURL: numberFactBaseURL)
    } catch {
      throw SettingsError(.usage, "\(error)")
    }
  }

  /// Begins to write spans, if a file is configured.
  ///
  /// - Parameter onProblem: Called when spans are lost.
  /// - Returns: The writer; nil if no file is configured.
  /// - Throws: A ``SettingsError`` if spans cannot be written.
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
    case .safe: "\(host.startsSafely)"
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
  /// The directory of the state; nil if it is kept in memory only.
  private static func data(
    _ reader: SettingsReader,
    _ host: HostConfiguration,
    _ dir: SettingsReader.Found?,
    _ directories: UserDirectories,
  ) throws(SettingsError) -> (path: String, source: String?)? {
    let (data, inMemory) = (reader.find(.data), reader.find(.inMemory))
    if try flag(inMemory), let inMemory {
      // The source of higher priority decides; one source must not set both.
      guard let data, data.source <= inMemory.source else { return nil }
      guard data.source < inMemory.source else {
        throw SettingsError(
          .usage,
          "\(inMemory.place) and \(data.place) exclude each other. Use one of them.",
        )
      }
    }
    if let data { return data.texts.first.map { ($0, nil) } }
    // Runtime directories are empty after a restart of the machine.
    if dir == nil {
      guard let state = directories.find(.state) else {
        throw SettingsError(
          .cannotCreate,
          "\(HomeError()) Or name a directory with --data, or use --in-memory.",
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

/// The reason for which the daemon's settings cannot be used.
struct SettingsError: Error, Hashable, CustomStringConvertible {
  /// The kind of failure; its value is the exit status (sysexits.h).
  enum Code: Int32 {
    /// An option is invalid.
    case usage = 64
    /// A file could not be read.
    case unreadable = 66
    /// A file could not be made.
    case cannotCreate = 73
    /// A file has invalid content.
    case malformed = 78
    /// Another user could have changed a file.
    case notAllowed = 77
  }

  var code: Code
  /// The fault, the expectation and the remedy.
  var message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  var exitStatus: Int32 { code.rawValue }
  var description: String { message }
}
