import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Collects the lines of a pipe as they arrive.
final class LineReader: Sendable {
  private struct Text: CustomStringConvertible, Sendable {
    var lines: [String] = []
    /// The bytes after the last line's end.
    var rest: [UInt8] = []

    var description: String { lines.suffix(5).map { "\($0.prefix(400))" }.joined(separator: "\n") }

    mutating func append(_ bytes: ArraySlice<UInt8>) {
      var bytes = bytes
      while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        rest.append(contentsOf: bytes[..<end])
        lines.append(String(decoding: rest, as: UTF8.self))
        rest.removeAll(keepingCapacity: true)
        bytes = bytes[(end + 1)...]
      }
      rest.append(contentsOf: bytes)
    }
  }

  private let text = Watched(Text())

  /// Reads from a descriptor, on a thread of its own, and closes it at the end; then calls `onEnd`.
  init(_ descriptor: Int32, onEnd: @escaping @Sendable () -> Void) {
    let text = text
    Thread.detachNewThread {
      while let bytes = Self.read(descriptor) { text.update { $0.append(bytes) } }
      close(descriptor)
      onEnd()
    }
  }

  /// Waits for bytes and returns the available ones; nil at the end.
  private static func read(_ descriptor: Int32) -> ArraySlice<UInt8>? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      #if canImport(Glibc)
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      #else
      let count = Darwin.read(descriptor, &buffer, buffer.count)
      #endif
      if count > 0 { return buffer[..<count] }
      guard count < 0, errno == EINTR else { return nil }
    }
  }

  /// The whole lines so far.
  var lines: [String] { text.value.lines }

  /// The text after the last whole line.
  var unfinished: String { String(decoding: text.value.rest, as: UTF8.self) }

  /// Waits for the first matching line, from index `start` on.
  func line(
    from start: Int = 0,
    within time: Duration = .seconds(30),
    _ what: String,
    where fits: @escaping @Sendable (String) -> Bool,
  ) async throws -> (index: Int, line: String) {
    let position = Mutex(start)
    return try await text.wait(within: time, for: what) { text in
      // Lines that did not match are not examined again.
      position.withLock { position in
        while position < text.lines.count {
          defer { position += 1 }
          let line = text.lines[position]
          if fits(line) { return (position, line) }
        }
        return nil
      }
    }
  }

  /// Waits for at least `count` lines.
  func lines(atLeast count: Int, within time: Duration = .seconds(30)) async throws -> [String] {
    try await text.wait(within: time, for: "\(count) lines") { text in
      text.lines.count >= count ? text.lines : nil
    }
  }
}
