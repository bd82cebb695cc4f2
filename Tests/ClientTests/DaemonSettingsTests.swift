import StoreDaemon
import Testing

@testable import Daemon

@Suite("The daemon's settings")
struct DaemonSettingsTests {
  private func settings(_ json: String) throws -> DaemonSettings {
    var settings = DaemonSettings(host: HostConfiguration(directory: "/nowhere"))
    try settings.read(json: json)
    return settings
  }

  @Test("A file may set each setting")
  func everySetting() throws {
    let settings = try settings(
      #"{"leaseMilliseconds": 3000, "graceMilliseconds": 500, "numberFactBaseURL": "http://x"}"#
    )
    #expect(settings.host.lease == .seconds(3))
    #expect(settings.host.grace == .milliseconds(500))
    #expect(settings.numberFactBaseURL == "http://x")
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
      try settings(#"{"leaseMiliseconds": 3000}"#)
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
    #expect(throws: error) { try settings("{\"leaseMilliseconds\": \(value)}") }
  }

  @Test("Settings that are no object, or no JSON, are refused", arguments: ["[]", "3", "{", ""])
  func noObject(json: String) {
    #expect(throws: SettingsError.self) { try settings(json) }
  }

  @Test("A base for number facts that is no URL is a usage error")
  func badURL() throws {
    let settings = try settings(#"{"numberFactBaseURL": "nonsense"}"#)
    let error = #expect(throws: SettingsError.self) { try settings.numberFactClient() }
    #expect(error?.exitStatus == 64)
  }
}
