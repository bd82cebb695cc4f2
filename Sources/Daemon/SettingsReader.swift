import Configuration
import GenericState
import StoreState
import Synchronization

/// Finds settings: the command line has priority over the environment, and that over the file.
struct SettingsReader {
  /// The sources of a value, highest priority first.
  enum Source: Int, Comparable {
    case commandLine, environment, file

    static func < (one: Source, other: Source) -> Bool { one.rawValue < other.rawValue }
  }

  /// A value as text, and its source.
  struct Found: Hashable {
    var texts: [String]
    var source: Source
    /// The source in words, such as `--dir`.
    var place: String
  }

  /// The path of the settings file, if there is one.
  private let path: String?
  private let reader: ConfigReader
  private let access = LastAccess()

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - given: The settings on the command line.
  ///   - environment: The environment variables of the process.
  ///   - file: The settings file's path and values; nil if there is no file.
  init(
    given: [Setting: [String]],
    environment: [String: String],
    file: (path: String, values: [Setting: [String]])?,
  ) {
    path = file?.path
    reader = ConfigReader(
      providers: [
        Self.provider("command line", given),
        EnvironmentVariablesProvider(environmentVariables: environment.filter { $0.value != "" }),
        Self.provider("file", file?.values ?? [:]),
      ],
      accessReporter: access,
    )
  }

  private static func provider(_ name: String, _ values: [Setting: [String]]) -> InMemoryProvider {
    let pairs = values.map { setting, texts in
      let content =
        if case .list = setting.kind { ConfigContent.stringArray(texts) } else {
          ConfigContent.string(texts.first ?? "")
        }
      return (AbsoluteConfigKey(setting.key), ConfigValue(content, isSecret: false))
    }
    return InMemoryProvider(name: name, values: Dictionary(pairs) { $1 })
  }

  /// The value of a setting; nil if no source sets it.
  func find(_ setting: Setting) -> Found? {
    let texts =
      if case .list = setting.kind { reader.stringArray(forKey: setting.key) } else {
        reader.string(forKey: setting.key).map { [$0] }
      }
    guard let texts, let source = access.source else { return nil }
    let place =
      switch source {
      case .commandLine: setting.option
      case .environment: "$\(setting.variable)"
      case .file: "\(path ?? ""): $.\(setting.rawValue)"
      }
    return Found(texts: texts, source: source, place: place)
  }

  /// The values of a settings file: a JSON object whose members must all be known settings.
  static func values(json text: String) throws(SettingsError) -> [Setting: [String]] {
    let tree: JSONValue
    do throws(JSONProjectionError) {
      tree = try JSONValue(parsing: text)
    } catch {
      throw SettingsError(.malformed, "\(error)")
    }
    guard case .object(let members) = tree else {
      throw SettingsError(.malformed, "Expected an object with settings.")
    }
    var values: [Setting: [String]] = [:]
    for member in members {
      guard let setting = Setting(rawValue: member.name) else {
        let names = Setting.allCases.map(\.rawValue)
        let remedy = NearestNames().remedy(for: member.name, among: names)
        throw SettingsError(.malformed, "$.\(member.name): there is no such setting\(remedy)")
      }
      values[setting] = try setting.texts(of: member.value)
    }
    return values
  }

  /// Records the source of the last value that was found.
  private final class LastAccess: AccessReporter {
    private let place = Mutex<Int?>(nil)

    var source: Source? { place.withLock { $0 }.flatMap(Source.init(rawValue:)) }

    func report(_ event: AccessEvent) {
      let found = event.providerResults.firstIndex { result in
        if case .success(let lookup) = result.result { lookup.value != nil } else { false }
      }
      place.withLock { $0 = found }
    }
  }
}
