import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Collects the lines that come out of a pipe, as they come.
final class LineReader: Sendable {
  private struct Text: CustomStringConvertible, Sendable {
    var lines: [String] = []
    /// What came after the last line's end.
    var rest: [UInt8] = []
    var isAtEnd = false

    var description: String {
      lines.suffix(10).joined(separator: "\n") + (isAtEnd ? "\n(end)" : "")
    }
  }

  private static let queue = DispatchQueue(label: "pipes")

  private let text = Watched(Text())

  /// Reads from a descriptor, which is closed at the end, before `onEnd` is called.
  init(_ descriptor: Int32, onEnd: @escaping @Sendable () -> Void) {
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
    // The source holds itself until the end.
    source.setEventHandler { [text, source] in
      if !Self.read(descriptor, into: text) { source.cancel() }
    }
    source.setCancelHandler {
      close(descriptor)
      onEnd()
    }
    source.resume()
  }

  /// Takes what is there; false at the end.
  private static func read(_ descriptor: Int32, into text: Watched<Text>) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return true }
    text.update { text in
      for byte in buffer.prefix(max(0, count)) {
        if byte == UInt8(ascii: "\n") {
          text.lines.append(String(decoding: text.rest, as: UTF8.self))
          text.rest = []
        } else {
          text.rest.append(byte)
        }
      }
      if count <= 0 { text.isAtEnd = true }
    }
    return count > 0
  }

  /// The whole lines so far.
  var lines: [String] { text.value.lines }

  /// What stands after the last whole line.
  var unfinished: String { String(decoding: text.value.rest, as: UTF8.self) }

  /// The first line that fits, from index `start` on.
  func line(
    from start: Int = 0,
    within time: Duration = .seconds(30),
    _ what: String,
    where fits: @escaping @Sendable (String) -> Bool,
  ) async throws -> (index: Int, line: String) {
    let position = Mutex(start)
    return try await text.wait(within: time, for: what) { text in
      // Lines that did not fit are not looked at again.
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

  /// Waits until there are so many lines.
  func lines(atLeast count: Int, within time: Duration = .seconds(30)) async throws -> [String] {
    try await text.wait(within: time, for: "\(count) lines") { text in
      text.lines.count >= count ? text.lines : nil
    }
  }
}
