import Foundation
import Logging
import StoreDaemon
import StoreProtocol
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
        "key": "/k", "metrics": "9464", "metricsHosts": ["box"], "trace": "/t", "trustOwner": 7,
        "insecureLoopback": true, "inMemory": false, "existing": true, "durability": "batched",
        "fromInitialState": true, "safe": true, "retainBytes": 5000000000, "retainSeconds": 86400,
        "logLevel": "debug", "logFormat": "json"}
        """
    )
    #expect(settings.host.lease == .seconds(3) && settings.host.grace == .milliseconds(500))
    #expect(settings.numberFactBaseURL == "http://x")
    #expect(settings.host.directory == "/run/x" && settings.host.data == "/var/x")
    #expect(settings.host.listen == ["ipc:///a", "ipc:///b"] && settings.host.grants == "/g")
    #expect(settings.host.key == "/k" && settings.host.metrics == "9464")
    #expect(settings.host.metricsHosts == ["box"] && settings.host.trustedOwner == 7)
    #expect(settings.trace == "/t" && settings.host.requiresHistory)
    #expect(settings.host.beginsWithInitialState && settings.host.startsSafely)
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

  @Test func `Memory and a data directory in one place exclude each other`() throws {
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
  }

  @Test func `A variable that is empty or relative is as one that is not set`() throws {
    let runtime = ["HOME": "/home/guest", "XDG_RUNTIME_DIR": "/run/user/1"]
    for state in ["", "state", "./state"] {
      let settings = try settings(environment: runtime.merging(["XDG_STATE_HOME": state]) { $1 })
      #expect(settings.host.data == "/home/guest/.local/state/storeactor")
      #expect(origin(.data, settings) == "default, from $HOME")
      #expect(origin(.dir, settings) == "default, from $XDG_RUNTIME_DIR")
    }
    for directory in ["", "rt"] {
      let settings = try settings(environment: ["HOME": "/h", "XDG_RUNTIME_DIR": directory])
      #expect(settings.host.directory == "/h/.storeactor")
      #expect(settings.host.data == "/h/.local/state/storeactor")
      #expect(origin(.dir, settings) == "default, from $HOME")
    }
    // The account's home directory, which this test does not choose.
    for environment in [[:], ["HOME": ""], ["HOME": "home"]] {
      let settings = try settings(environment: environment)
      #expect(settings.host.directory.hasPrefix("/"))
      #expect(settings.host.directory.hasSuffix("/.storeactor"))
      #expect(settings.host.directory != "/.storeactor")
      #expect(settings.host.data?.hasSuffix("/.local/state/storeactor") == true)
      #expect(origin(.data, settings) == "default, from the user's account")
    }
  }

  @Test func `Without any home only a directory has to be named`() throws {
    let nobody = UserDirectories(environment: ["HOME": "relative"], accountHome: { nil })
    #expect(nobody.find(.state) == nil && nobody.find(.configuration) == nil)
    #expect(nobody.find(.runtime) == nil && nobody.ofSockets == nil)
    let named = UserDirectories(
      environment: ["XDG_RUNTIME_DIR": "/r", "XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c"],
      accountHome: { nil },
    )
    let found = [named.ofSockets, named.find(.state), named.find(.configuration)]
    #expect(found.map { $0?.path } == ["/r/storeactor", "/s", "/c"])
    let sources = ["$XDG_RUNTIME_DIR", "$XDG_STATE_HOME", "$XDG_CONFIG_HOME"]
    #expect(found.map { $0?.source } == sources)
    let root = UserDirectories(environment: ["HOME": "/"], accountHome: { nil })
    #expect(root.ofSockets?.path == "/.storeactor")
  }

  @Test func `A history at the path of an earlier release is found`() throws {
    let home = FileManager.default.temporaryDirectory.appending(path: "home-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: home) }
    let environment = ["HOME": home, "XDG_RUNTIME_DIR": "\(home)/rt", "XDG_STATE_HOME": ""]
    let (old, now) = ("\(home)/rt/storeactor/data", "\(home)/.local/state/storeactor")
    func check(_ given: [Setting: [String]] = [:]) throws {
      try settings(environment: environment, given: given).former?.check()
    }
    func make(_ directory: String, _ file: String) throws {
      try FileManager.default.createDirectory(
        atPath: "\(directory)/log",
        withIntermediateDirectories: true,
      )
      try Data(file.utf8).write(to: URL(filePath: "\(directory)/log/\(file)"))
    }
    try check()
    try make(old, "1.segment")
    let error = #expect(throws: SettingsError.self) { try check() }
    #expect(error?.exitStatus == 73)
    #expect(error?.message.contains(old) == true && error?.message.contains(now) == true)
    // An explicit setting bypasses the check.
    try check([.data: [old]])
    try check([.dir: ["\(home)/rt/storeactor"]])
    try check([.inMemory: ["true"]])
    try make(now, "1.segment")
    try check()
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

  @Test func `A variable with an invalid value is refused with its name`() {
    for (name, text) in [
      ("STOREACTOR_LEASE_MILLISECONDS", "soon"), ("STOREACTOR_IN_MEMORY", "maybe"),
      ("STOREACTOR_LOG_LEVEL", "loud"), ("STOREACTOR_DURABILITY", "some"),
    ] {
      let error = #expect(throws: SettingsError.self) { try settings(environment: [name: text]) }
      #expect(error?.exitStatus == 78 && error?.message.hasPrefix("$\(name): ") == true)
    }
  }

  @Test("Settings that are not a JSON object are refused", arguments: ["[]", "3", "{", ""])
  func noObject(json: String) {
    #expect(throws: SettingsError.self) { try settings(file: json) }
  }

  @Test("An invalid base URL for number facts is a usage error")
  func badURL() throws {
    let settings = try settings(file: #"{"numberFactBaseURL": "nonsense"}"#)
    let error = #expect(throws: SettingsError.self) { try settings.numberFactClient() }
    #expect(error?.exitStatus == 64)
  }
}
