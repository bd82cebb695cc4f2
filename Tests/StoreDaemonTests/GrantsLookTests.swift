import Dispatch
import Foundation
import Logging
import StoreActor
import Synchronization
import Testing

@testable import StoreDaemon
@testable import StoreExposures
@testable import StoreServer

/// The file of grants while the daemon serves: it is read off the main thread, in one order.
@MainActor
@Suite(.timeLimit(.minutes(2))) struct GrantsLookTests {
  /// Keeps the lines of a log.
  private struct Lines: LogHandler {
    let lines: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) { lines("\(event.message)") }
  }

  private func withFile(_ body: (GrantsFile) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "looks-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appending(path: "grants").path
    try Data("user:4711 count see\n".utf8).write(to: URL(filePath: path))
    try #require(chmod(path, 0o600) == 0)
    let description = Expose<Counted, Never>("count", state: \.count).description
    try await body(GrantsFile(path, exposed: [description]))
  }

  @Test func `Work that does not return delays the checks, and is reported until it returns`()
    async throws
  {
    try await withFile { file in
      let files = FileQueue(patience: 100_000_000)
      let (lines, line) = AsyncStream.makeStream(of: String.self)
      let logger = Logger(label: "test") { _ in Lines { line.yield($0) } }
      let look = GrantsLook(at: file, since: file.stamp, files, logger) { _ in
        line.yield("changed")
      }
      let end = try Gate()
      files.run { end.wait() }
      var iterator = lines.makeAsyncIterator()
      let delay = await iterator.next()
      #expect(delay?.contains("A check of \(file.path) has taken") == true)
      #expect(files.delay != nil)
      // The main thread is free, and the grants stay in force.
      look.readNow { line.yield("read") }
      end.open()
      let rest = [await iterator.next(), await iterator.next(), await iterator.next()]
      #expect(Set(rest) == ["changed", "read", "The grants are checked again."])
      #expect(files.delay == nil)
      withExtendedLifetime(look) {}
    }
  }

  @Test func `A check that does not return is an obstacle in the daemon's status`() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "looks-\(UUID())")
    defer { try? FileManager.default.removeItem(at: directory) }
    let host = StoreHost<Counted, Never>(
      initialState: Counted(),
      exposures: [],
      configuration: HostConfiguration(directory: directory.path),
    ) {
      EmptyReducer()
    }
    let files = FileQueue(patience: 0)
    host.files = files
    try host.start()
    defer { host.stop() }
    let counters = try #require(host.service?.turn.server.counters)
    let (start, end) = (try Gate(), try Gate())
    files.run {
      start.open()
      end.wait()
    }
    start.wait()
    #expect(counters.ofHost()?.contains("\(directory.path)/grants") == true)
    end.open()
    // The delay ends with the work.
    while counters.ofHost() != nil { files.queue.sync {} }
  }

  @Test func `A check takes five seconds before it counts as delayed`() {
    let host = StoreHost<Counted, Never>(
      initialState: Counted(),
      exposures: [],
      configuration: HostConfiguration(directory: "/nowhere"),
    ) {
      EmptyReducer()
    }
    #expect(host.files.patience == 5_000_000_000)
  }

  @Test func `The last read grants are reported last`() async throws {
    try await withFile { file in
      let files = FileQueue()
      let (counts, count) = AsyncStream.makeStream(of: Int.self)
      let look = GrantsLook(at: file, since: file.stamp, files, Logger(label: "test")) {
        count.yield((try? $0.get().lines.count) ?? -1)
      }
      for lines in 2...9 {
        files.run {
          let text = (1...lines).map { "user:\(4711 + $0) count see\n" }.joined()
          #expect(throws: Never.self) { try Data(text.utf8).write(to: URL(filePath: file.path)) }
        }
        look.readNow {}
      }
      var iterator = counts.makeAsyncIterator()
      var last = 0
      while last < 9, let next = await iterator.next() {
        #expect(next >= last)
        last = next
      }
      #expect(last == 9)
      withExtendedLifetime(look) {}
    }
  }
}

/// Lets a thread wait for another one, like a file system that does not answer.
private final class Gate: Sendable {
  private let ends: (readEnd: Int32, writeEnd: Int32)

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    self.ends = (ends[0], ends[1])
  }

  deinit {
    close(ends.readEnd)
    close(ends.writeEnd)
  }

  func wait() {
    var byte: UInt8 = 0
    #expect(read(ends.readEnd, &byte, 1) == 1)
  }

  func open() {
    var byte: UInt8 = 1
    #expect(write(ends.writeEnd, &byte, 1) == 1)
  }
}

private struct Counted: Sendable {
  var count = 0
}
