import GenericState
import Logging
import StoreState
import Testing

@testable import StoredMain

@Suite struct DaemonLogTests {
  private let event = LogEvent(
    level: .warning,
    message: "A peer \u{1B}[2J\nis odd",
    metadata: ["peer": "7", "names": ["a", "b"]],
    source: nil,
    file: "",
    function: "",
    line: 1,
  )

  @Test func `An event is a line without control characters`() {
    let log = DaemonLog(label: "stored", format: .text)
    #expect(
      log.line(event, at: "now")
        == #"now warning stored: A peer \#u{FFFD}[2J\#u{FFFD}is odd names=["a", "b"] peer=7"#
    )
  }

  @Test func `An event is one object of JSON`() throws {
    var log = DaemonLog(label: "stored", format: .json)
    log[metadataKey: "host"] = "here"
    let line = log.line(event, at: "now")
    let isHarmless = !line.unicodeScalars.contains(where: \.disturbsDisplay)
    #expect(isHarmless)
    let tree = try JSONValue(parsing: line)
    #expect(
      tree == [
        "time": "now", "level": "warning", "logger": "stored",
        "message": "A peer \u{1B}[2J\nis odd",
        "metadata": ["host": "here", "names": ["a", "b"], "peer": "7"],
      ]
    )
  }

  @Test func `A logger has the process's level, unless it has one of its own`() {
    let before = DaemonLog.level
    defer { DaemonLog.level = before }
    var log = DaemonLog(label: "stored", format: .text)
    DaemonLog.level = .error
    #expect(log.logLevel == .error)
    log.logLevel = .trace
    DaemonLog.level = .notice
    #expect(log.logLevel == .trace)
  }
}
