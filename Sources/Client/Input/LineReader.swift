import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads lines of standard input without blocking the main loop.
///
/// A separate thread reads one piece whenever a line is requested and no buffered line is left, so
/// the input is not read ahead. The thread only calls `read`.
@MainActor
final class LineReader {
  /// The longest line that is kept; every valid action fits.
  private static let longestLine = 2 << 20
  private nonisolated static let pieceBytes = 64 << 10

  private let descriptor: Int32
  private let queue = DispatchQueue(label: "storectl.input")
  private var splitter = LineSplitter(limit: longestLine)
  private var isAtEnd = false

  init(descriptor: Int32 = 0) { self.descriptor = descriptor }

  /// Returns the next line; nil at the end of the input.
  func next() async throws(CommandError) -> LineSplitter.Line? {
    while true {
      if let line = splitter.next() { return line }
      guard !isAtEnd else { return nil }
      switch await piece() {
      case .success(let bytes) where bytes.isEmpty:
        isAtEnd = true
        return splitter.last()
      case .success(let bytes): splitter.append(bytes)
      case .failure(let error): throw error
      }
    }
  }

  private func piece() async -> Result<[UInt8], CommandError> {
    await withCheckedContinuation { continuation in
      queue.async { [descriptor] in
        continuation.resume(returning: Self.read(descriptor))
      }
    }
  }

  nonisolated static func read(_ descriptor: Int32) -> Result<[UInt8], CommandError> {
    while true {
      var count = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: pieceBytes) { buffer, initialized in
        #if canImport(Glibc)
        count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        #else
        count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
        #endif
        initialized = max(0, count)
      }
      guard count < 0 else { return .success(bytes) }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&item, 1, -1)
      default:
        let reason = String(cString: strerror(errno))
        return .failure(CommandError(.inputOutput, "The input could not be read: \(reason)."))
      }
    }
  }
}
