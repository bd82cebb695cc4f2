import Logging
import StoreDaemon
import Testing

@testable import StoredMain

@Suite("The daemon's settings")
struct DaemonSettingsTests {
  private func settings(
    file json: String = "{}",
    environment: [String: String] = [:],
    given: [Setting: [String]] = [:],
  ) throws -> DaemonSettings {
    let reader = SettingsReader(
      given: given,
      environment: environment,
      file: ("/etc/x.json", try SettingsReader.values(json: json)),
    )
    return try DaemonSettings(reader, environment: environment)
  }

  private func origin(_ setting: Setting, _ settings: DaemonSettings) -> String? {
    settings.lines.first { $0.setting == setting }?.origin
  }

  @Test("A file may set each setting")
  func everySetting() throws {
    let settings = try settings(
      file: """
        {"leaseMilliseconds": 3000, "graceMilliseconds": 500, "numberFactBaseURL": "http://x",
        "dir": "/run/x", "data": "/var/x", "listen": ["ipc:///a", "ipc:///b"], "grants": "/g",
        "key": "/k", "metrics": "9464", "trace": "/t",
        "insecureLoopback": true, "inMemory": false, "existing": true, "durability": "batched",
        "retainBytes": 5000000000, "retainSeconds": 86400,
        "logLevel": "debug", "logFormat": "json"}
        """
    )
    #expect(settings.host.lease == .seconds(3) && settings.host.grace == .milliseconds(500))
    #expect(settings.numberFactBaseURL == "http://x")
    #expect(settings.host.directory == "/run/x" && settings.host.data == "/var/x")
    #expect(settings.host.listen == ["ipc:///a", "ipc:///b"] && settings.host.grants == "/g")
    #expect(settings.host.key == "/k" && settings.host.metrics == "9464")
    #expect(settings.trace == "/t" && settings.host.requiresHistory)
    #expect(settings.host.allowsInsecureLoopback && settings.host.durability == .batched)
    #expect(settings.host.retention == Retention(bytes: 5_000_000_000, age: .seconds(86400)))
    #expect(settings.logLevel == .debug && settings.logFormat == .json)
    #expect(settings.lines.count == Setting.allCases.count)
    #expect(settings.lines.allSatisfy { $0.origin == "/etc/x.json: $.\($0.setting.rawValue)" })
  }

  @Test func `The command line wins over the environment, and that over the file`() throws {
    let file = #"{"leaseMilliseconds": 1, "graceMilliseconds": 1, "logLevel": "error"}"#
    let environment = [
      "STOREACTOR_LEASE_MILLISECONDS": "2", "STOREACTOR_GRACE_MILLISECONDS": "2",
      "STOREACTOR_LISTEN": "ipc:///a,ipc:///b", "STOREACTOR_LOG_FORMAT": "",
    ]
    let settings = try settings(
      file: file,
      environment: environment,
      given: [.leaseMilliseconds: ["3"]],
    )
    #expect(settings.host.lease == .milliseconds(3))
    #expect(settings.host.grace == .milliseconds(2))
    #expect(settings.logLevel == .error && settings.logFormat == .text)
    #expect(settings.host.listen == ["ipc:///a", "ipc:///b"])
    #expect(origin(.leaseMilliseconds, settings) == "--lease-ms")
    #expect(origin(.graceMilliseconds, settings) == "$STOREACTOR_GRACE_MILLISECONDS")
    #expect(origin(.logLevel, settings) == "/etc/x.json: $.logLevel")
    #expect(origin(.logFormat, settings) == "default")
  }

  @Test func `Each setting has the variable that the environment is searched for`() throws {
    for setting in Setting.allCases {
      let text =
        switch setting.kind {
        case .flag: "true"
        case .number: "500"
        default:
          switch setting {
          case .durability: "none"
          case .logLevel: "info"
          case .logFormat: "json"
          default: "/x"
          }
        }
      let settings = try settings(environment: [setting.variable: text])
      #expect(origin(setting, settings) == "$\(setting.variable)")
    }
  }

  @Test func `Memory and a data directory exclude each other where one place says both`() throws {
    let both = [Setting.inMemory: ["true"], .data: ["/d"]]
    #expect(throws: SettingsError.self) { try settings(given: both) }
    let inMemory = try settings(file: #"{"data": "/d"}"#, given: [.inMemory: ["true"]])
    #expect(inMemory.host.data == nil)
    let kept = try settings(file: #"{"inMemory": true}"#, given: [.data: ["/d"]])
    #expect(kept.host.data == "/d")
  }

  @Test func `State is kept beside the sockets, or where the system keeps it`() throws {
    #expect(try settings(given: [.dir: ["/d"]]).host.data == "/d/data")
    let environment = ["XDG_STATE_HOME": "/state", "XDG_RUNTIME_DIR": "/run/user/1"]
    #expect(try settings(environment: environment).host.data == "/state/storeactor")
    #expect(try settings(environment: environment).host.directory == "/run/user/1/storeactor")
    let login = ["HOME": "/home/guest", "XDG_RUNTIME_DIR": "/run/user/1"]
    #expect(try settings(environment: login).host.data == "/home/guest/.local/state/storeactor")
    #expect(try settings(environment: [:]).host.data == "./.storeactor/data")
  }

  @Test("An unknown setting is refused, with the right name")
  func unknownSetting() {
    #expect(
      throws: SettingsError(
        .malformed,
        "$.leaseMiliseconds: there is no such setting; "
          + "did you mean \"leaseMilliseconds\" or \"graceMilliseconds\"?",
      )
    ) {
      try settings(file: #"{"leaseMiliseconds": 3000}"#)
    }
  }

  @Test(
    "A value that does not fit is refused with its path",
    arguments: ["-1", "1.5", "\"3000\"", "4294967296", "null"],
  )
  func badValue(value: String) {
    let error = SettingsError(
      .malformed,
      "$.leaseMilliseconds: expected a whole number of milliseconds from 0 to 4294967295",
    )
    #expect(throws: error) { try settings(file: "{\"leaseMilliseconds\": \(value)}") }
  }

  @Test func `A variable that makes no sense is refused with its name`() {
    for (name, text) in [
      ("STOREACTOR_LEASE_MILLISECONDS", "soon"), ("STOREACTOR_IN_MEMORY", "maybe"),
      ("STOREACTOR_LOG_LEVEL", "loud"), ("STOREACTOR_DURABILITY", "some"),
    ] {
      let error = #expect(throws: SettingsError.self) { try settings(environment: [name: text]) }
      #expect(error?.exitStatus == 78 && error?.message.hasPrefix("$\(name): ") == true)
    }
  }

  @Test("Settings that are no object, or no JSON, are refused", arguments: ["[]", "3", "{", ""])
  func noObject(json: String) {
    #expect(throws: SettingsError.self) { try settings(file: json) }
  }

  @Test("A base for number facts that is no URL is a usage error")
  func badURL() throws {
    let settings = try settings(file: #"{"numberFactBaseURL": "nonsense"}"#)
    let error = #expect(throws: SettingsError.self) { try settings.numberFactClient() }
    #expect(error?.exitStatus == 64)
  }
}
