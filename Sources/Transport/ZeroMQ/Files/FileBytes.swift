#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads the bytes of small files.
package enum FileBytes {
  /// Reads an open file to its end, or up to a maximum.
  ///
  /// - Parameters:
  ///   - descriptor: The open file's descriptor.
  ///   - most: The maximum number of bytes to read.
  /// - Returns: The bytes; nil if the system refused, with the reason in `errno`.
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
