import Foundation
import Logging
import StoreDaemon
import StoreState
import Workspace
import WorkspaceLive

/// How the daemon runs: what its options and its file of settings came to.
struct DaemonSettings {
  var host: HostConfiguration
  var logLevel = Logger.Level.notice
  var numberFactBaseURL: String?

  init(host: HostConfiguration) { self.host = host }

  /// Where the counter gets its facts.
  func numberFactClient() throws(SettingsError) -> NumberFactClient {
    guard let numberFactBaseURL else { return .liveValue }
    do throws(NumberFactError) {
      return try .live(baseURL: numberFactBaseURL)
    } catch {
      throw SettingsError(.usage, "\(error)")
    }
  }

  /// Takes over what a file of settings says.
  mutating func read(file path: String) throws(SettingsError) {
    let text: String
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      throw SettingsError(
        .unreadable,
        "The settings in \(path) could not be read: \(error.localizedDescription) "
          + "Check the path given with --config.",
      )
    }
    do throws(SettingsError) {
      try read(json: text)
    } catch {
      throw SettingsError(error.code, "\(path): \(error.message)")
    }
  }

  /// Takes over settings: an object, of whose members every one must be known.
  mutating func read(json text: String) throws(SettingsError) {
    let tree: JSONValue
    do throws(JSONProjectionError) {
      tree = try JSONValue(parsing: text)
    } catch {
      throw SettingsError(.malformed, "\(error)")
    }
    guard case .object(let members) = tree else {
      throw SettingsError(.malformed, "$: expected an object with settings")
    }
    for member in members { try set(member.name, to: member.value) }
  }

  private static let names = ["graceMilliseconds", "leaseMilliseconds", "numberFactBaseURL"]

  private mutating func set(_ name: String, to value: JSONValue) throws(SettingsError) {
    switch name {
    case "leaseMilliseconds": host.lease = try milliseconds(value, name)
    case "graceMilliseconds": host.grace = try milliseconds(value, name)
    case "numberFactBaseURL":
      guard case .string(let url) = value else {
        throw SettingsError(.malformed, "$.\(name): expected a URL in a string")
      }
      numberFactBaseURL = url
    default:
      let remedy = NearestNames().remedy(for: name, among: Self.names)
      throw SettingsError(.malformed, "$.\(name): there is no such setting\(remedy)")
    }
  }

  private func milliseconds(
    _ value: JSONValue,
    _ name: String,
  ) throws(SettingsError) -> Duration {
    guard case .number(let text) = value, let number = UInt32(text) else {
      throw SettingsError(
        .malformed,
        "$.\(name): expected a whole number of milliseconds from 0 to \(UInt32.max)",
      )
    }
    return .milliseconds(number)
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
    /// A file that does not say what it should.
    case malformed = 78
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
