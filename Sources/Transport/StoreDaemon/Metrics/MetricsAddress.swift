#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// An address of IPv4 and a port.
struct MetricsAddress: Hashable, Sendable, CustomStringConvertible {
  /// The host by number, in the machine's own order.
  var host: UInt32
  var port: UInt16

  init(host: UInt32, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads `HOST:PORT`, with a host in digits, or `PORT`, which is on the loopback interface.
  ///
  /// - Parameter text: The text.
  /// - Throws: ``HostError`` if it is neither.
  init(_ text: String) throws(HostError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let host = parts.count == 2 ? parts[0] : "127.0.0.1"
    var parsed = in_addr()
    guard parts.count <= 2, inet_pton(AF_INET, String(host), &parsed) == 1,
      let digits = parts.last, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = UInt16(digits)
    else {
      throw HostError(
        .usage,
        "\"\(text)\" is no address for the daemon's numbers: expected HOST:PORT, with an address "
          + "of IPv4 in digits, or PORT.",
        remedy: "Use 127.0.0.1:9464, or 9464, which is the same.",
      )
    }
    self.init(host: UInt32(bigEndian: parsed.s_addr), port: port)
  }

  /// Whether only this machine can reach it.
  var isLoopback: Bool { host >> 24 == 127 }

  var description: String {
    let bytes = [24, 16, 8, 0].map { "\(host >> $0 & 0xff)" }
    return "\(bytes.joined(separator: ".")):\(port)"
  }

  /// The address in the system's form.
  var systemAddress: sockaddr_in {
    var address = sockaddr_in()
    #if canImport(Darwin)
    address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
    #endif
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = host.bigEndian
    return address
  }
}
