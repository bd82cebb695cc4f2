#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The holder of a quota of places for peers that request metrics.
///
/// HTTP does not identify users, so all peers of this machine count as one, and have a reserve.
enum MetricsHolder: Hashable {
  /// Any peer of this machine.
  case machine
  /// Another machine, by its address.
  case address(UInt32)

  /// The holder at the other end of a connection.
  init(_ descriptor: Int32) {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getpeername(descriptor, $0, &length)
      }
    }
    // A connection that has already ended has no address, and sends no more input.
    let host = status == 0 ? UInt32(bigEndian: address.sin_addr.s_addr) : 0
    self = host >> 24 == 127 ? .machine : .address(host)
  }
}
