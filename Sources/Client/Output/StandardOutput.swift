import ArgumentParser

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Standard output for commands that print once and end.
enum StandardOutput {
  static let descriptor: Int32 = 1
  static let errorDescriptor: Int32 = 2

  /// Prints a line, and waits until it is written.
  static func line(_ text: String) throws {
    switch write(Array("\(text)\n".utf8), to: descriptor) {
    case .done: break
    // The reader has closed its end, which is not a failure.
    case .brokenPipe: throw ExitCode.success
    case .failed(let reason):
      throw CommandError(.inputOutput, "Standard output could not be written: \(reason).")
    }
  }

  enum Written: Hashable, Sendable {
    case done
    case brokenPipe
    case failed(String)
  }

  /// Writes all bytes, and blocks until they are written.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Written {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        #if canImport(Glibc)
        let count = Glibc.write(descriptor, part.baseAddress, part.count)
        #else
        let count = Darwin.write(descriptor, part.baseAddress, part.count)
        #endif
        if count >= 0 {
          rest = rest.dropFirst(count)
          continue
        }
        switch errno {
        case EINTR: continue
        case EPIPE: return .brokenPipe
        case EAGAIN: waitUntilWritable(descriptor)
        default: return .failed(String(cString: strerror(errno)))
        }
      }
      return .done
    }
  }

  /// Waits for room: another process that shares the descriptor may have made it nonblocking.
  private static func waitUntilWritable(_ descriptor: Int32) {
    var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    poll(&item, 1, -1)
  }
}
