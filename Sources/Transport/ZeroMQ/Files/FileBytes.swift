#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What small files have.
package enum FileBytes {
  /// Reads from an open file to its end, or as far as wanted.
  ///
  /// - Parameters:
  ///   - descriptor: The file's.
  ///   - most: How many bytes are wanted at most.
  /// - Returns: The bytes; nil where the system refused, which `errno` explains.
  package static func read(_ descriptor: Int32, most: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: most)
    var length = 0
    while length < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        #if canImport(Darwin)
        Darwin.read(descriptor, buffer.baseAddress?.advanced(by: length), buffer.count - length)
        #else
        Glibc.read(descriptor, buffer.baseAddress?.advanced(by: length), buffer.count - length)
        #endif
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      length += count
    }
    return Array(bytes[..<length])
  }
}
