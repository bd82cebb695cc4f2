import Configuration
import GenericState
import StoreState

/// A setting: an option, an environment variable or a member of the settings file sets it.
enum Setting: String, CaseIterable, Sendable {
  case dir, listen, insecureLoopback, data, inMemory, existing, fromInitialState, safe
  case durability, grants, key
  case leaseMilliseconds, graceMilliseconds, retainBytes, retainSeconds, metrics, metricsHosts
  case trace, trustOwner
  case logLevel, logFormat, numberFactBaseURL

  /// The expected kind of a setting's value.
  enum Kind {
    case text(String)
    case number(of: String, most: UInt64)
    case flag
    case list(String)
  }

  var kind: Kind {
    switch self {
    case .dir, .data: .text("a directory")
    case .listen: .list("URLs")
    case .insecureLoopback, .inMemory, .existing, .fromInitialState, .safe: .flag
    case .durability: .text("full, batched or none")
    case .grants, .key, .trace: .text("a file")
    case .leaseMilliseconds, .graceMilliseconds:
      .number(of: "milliseconds", most: UInt64(UInt32.max))
    case .retainBytes: .number(of: "bytes", most: 1 << 60)
    case .retainSeconds: .number(of: "seconds", most: UInt64(UInt32.max))
    case .metrics: .text("an address")
    case .metricsHosts: .list("names")
    case .trustOwner: .number(of: "a user", most: UInt64(UInt32.max))
    case .logLevel: .text("a level")
    case .logFormat: .text("text or json")
    case .numberFactBaseURL: .text("a URL")
    }
  }

  /// The name under which the reader looks the setting up.
  var key: ConfigKey { ["storeactor", rawValue] }

  /// The environment variable that sets it.
  var variable: String {
    // The naming rule of `Configuration`: a word ends between a lowercase and an uppercase letter.
    let words = zip(rawValue, rawValue.dropFirst()).map { one, next in
      one.isLowercase && next.isUppercase ? "_\(next)" : "\(next)"
    }
    return "STOREACTOR_\(rawValue.prefix(1))\(words.joined())".uppercased()
  }

  /// The option that sets it.
  var option: String {
    switch self {
    case .leaseMilliseconds: "--lease-ms"
    case .graceMilliseconds: "--grace-ms"
    case .retainBytes: "--retain-bytes"
    case .retainSeconds: "--retain-seconds"
    case .numberFactBaseURL: "--number-fact-url"
    case .metricsHosts: "--metrics-host"
    case .trustOwner: "--trust-owner"
    case .insecureLoopback: "--insecure-loopback"
    case .inMemory: "--in-memory"
    case .fromInitialState: "--from-initial-state"
    case .logLevel: "--log-level"
    case .logFormat: "--log-format"
    default: "--\(rawValue)"
    }
  }

  /// The texts of a value in the settings file.
  ///
  /// - Throws: A ``SettingsError`` with the expectation.
  func texts(of value: JSONValue) throws(SettingsError) -> [String] {
    switch (kind, value) {
    case (.text, .string(let text)): return [text]
    case (.number(_, let most), .number(let text)) where UInt64(text).map { $0 <= most } == true:
      return [text]
    case (.flag, .bool(let flag)): return ["\(flag)"]
    case (.list, .array(let items)):
      let texts = items.compactMap { if case .string(let text) = $0 { text } else { nil } }
      if texts.count == items.count { return texts }
    default: break
    }
    throw SettingsError(.malformed, "$.\(rawValue): expected \(expectation)")
  }

  /// The expected value in the settings file, in words.
  var expectation: String {
    switch kind {
    case .text(let value): "\(value) in a string"
    case .number("a user", _): "the id of a user as a number"
    case .number(let unit, let most): "a whole number of \(unit) from 0 to \(most)"
    case .flag: "true or false"
    case .list(let values): "an array of \(values) in strings"
    }
  }
}
