import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lines of standard input, without keeping the main loop from its work.
///
/// A thread of its own reads, one piece each time that lines are wanted and none are left: so who
/// takes no more lines reads no further. It runs nothing but `read`.
@MainActor
final class LineReader {
  /// A line that no action fits in is not kept.
  private static let longestLine = 2 << 20
  private nonisolated static let pieceBytes = 64 << 10

  private let descriptor: Int32
  private let queue = DispatchQueue(label: "storectl.input")
  private var splitter = LineSplitter(limit: longestLine)
  private var isAtEnd = false

  init(descriptor: Int32 = 0) { self.descriptor = descriptor }

  /// The next line; nil at the end of the input.
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
