import Foundation
import GenericState
import StoreState
import Synchronization
import Testing
import Tracing

@testable import TraceExport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct TraceExportTests {
  private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

  @Test func `The span of another program is known by its trace context`() throws {
    let identity = try #require(TraceIdentity(parent: Self.parent))
    #expect(identity.trace == "0af7651916cd43dd8448eb211c80319c")
    #expect(identity.span == "b7ad6b7169203331")
    #expect(identity.parent == Self.parent)
    let child = TraceIdentity.child(of: identity)
    #expect(child.trace == identity.trace && child.span != identity.span)
    // A later version may append fields.
    #expect(TraceIdentity(parent: "cc" + Self.parent.dropFirst(2) + "-more") != nil)
  }

  @Test(arguments: [
    "", "00", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
    "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
    "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
    "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
    "00-0af7651916cd43dd8448eb211c8031-b7ad6b7169203331-01",
  ])
  func `An invalid text is no trace context`(text: String) {
    #expect(TraceIdentity(parent: text) == nil)
  }

  @Test func `The data of a span are in its line`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "spans-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let traces = try TraceFile(path, service: "a program") { Issue.record("\($0)") }
    struct Refused: Error {}
    traces.withSpan("outer \"one\"", context: .topLevel, ofKind: .server) { outer in
      outer.attributes["text"] = "two\nlines"
      outer.attributes["number"] = Int64.max
      outer.attributes["list"] = [true, false]
      outer.recordError(Refused())
      traces.withSpan("inner", context: outer.context) { $0.setStatus(SpanStatus(code: .ok)) }
    }
    traces.forceFlush()
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let spans = try lines.map { line in
      let tree = try JSONValue(parsing: String(line))["resourceSpans"]?.items?.first
      return try #require(tree?["scopeSpans"]?.items?.first?["spans"]?.items?.first)
    }
    try #require(spans.count == 2)
    let (inner, outer) = (spans[0], spans[1])
    #expect(inner["name"] == "inner" && inner["kind"] == 1)
    #expect(inner["status"]?["code"] == 1)
    #expect(outer["name"] == "outer \"one\"" && outer["kind"] == 2)
    #expect(outer["parentSpanId"] == nil && inner["parentSpanId"] == outer["spanId"])
    #expect(inner["traceId"] == outer["traceId"])
    let flags: [JSONValue] = [["boolValue": true], ["boolValue": false]]
    let attributes: JSONValue = [
      ["key": "list", "value": ["arrayValue": ["values": .array(flags)]]],
      ["key": "number", "value": ["intValue": "9223372036854775807"]],
      ["key": "text", "value": ["stringValue": "two\nlines"]],
    ]
    #expect(outer["attributes"] == attributes)
    #expect(outer["events"]?.items?.first?["name"] == "exception")
  }

  @Test func `A span that has ended does not change, and ends once`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "spans-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let traces = try TraceFile(path, service: "a program") { Issue.record("\($0)") }
    let span = traces.startSpan("one", context: .topLevel)
    #expect(span.isRecording)
    span.end()
    span.operationName = "two"
    span.end()
    #expect(!span.isRecording && span.operationName == "one")
    traces.forceFlush()
    #expect(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count == 1)
  }

  @Test func `A file that cannot be opened is named`() {
    let problem = #expect(throws: TraceFile.Problem.self) {
      try TraceFile("/nowhere/spans", service: "a program") { _ in }
    }
    #expect(problem?.description.contains("/nowhere/spans") == true)
  }

  @Test func `The loss of spans is reported once`() throws {
    let lost = Lost()
    // `/dev/full` behaves as a full disk.
    let traces = try TraceFile("/dev/full", service: "a program") { lost.tell($0) }
    for _ in 0..<3 { traces.startSpan("one", context: .topLevel).end() }
    traces.forceFlush()
    #expect(lost.count == 1)
  }

  @Test func `If spans end faster than they are written, that is reported once`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "pipe-\(UUID())").path
    try #require(mkfifo(path, 0o600) == 0)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let reader = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    try #require(reader >= 0)
    defer { close(reader) }
    let lost = Lost()
    let traces = try TraceFile(path, service: "a program") { lost.tell($0) }
    // The pipe fills up first, then the backlog.
    for _ in 0..<9_000 { traces.startSpan("one", context: .topLevel).end() }
    #expect(lost.count == 1)
    var buffer = [UInt8](repeating: 0, count: 4_096)
    for _ in 0..<100 {
      // Some spans are written, and more end meanwhile.
      _ = read(reader, &buffer, buffer.count)
      for _ in 0..<64 { traces.startSpan("one", context: .topLevel).end() }
    }
    #expect(lost.count == 1)
    // The backlog is written completely.
    let isOver = Flag()
    Thread.detachNewThread {
      traces.forceFlush()
      isOver.set()
    }
    while !isOver.isSet {
      var item = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
      poll(&item, 1, 20)
      _ = read(reader, &buffer, buffer.count)
    }
  }

  private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() { value.store(true, ordering: .relaxed) }
  }

  private final class Lost: Sendable {
    private let problems = Mutex<[TraceFile.Problem]>([])

    var count: Int { problems.withLock { $0.count } }

    func tell(_ problem: TraceFile.Problem) { problems.withLock { $0.append(problem) } }
  }
}

extension JSONValue {
  fileprivate var items: [JSONValue]? { if case .array(let items) = self { items } else { nil } }
}
