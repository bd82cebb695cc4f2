#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The hosts that a request for metrics may name.
///
/// A web page can make its own host name resolve to this machine; then a browser lets it read the
/// responses (DNS rebinding). Addresses in digits and `localhost` are safe from that.
struct MetricsHosts: Hashable {
  /// Further names, in lower case.
  private let names: Set<String>

  init(_ names: [String] = []) { self.names = Set(names.map { $0.lowercased() }) }

  /// Whether a request may name a host.
  ///
  /// - Parameter host: The named host, with or without a port, in lower case; may be empty.
  /// - Returns: Whether it is allowed; an empty name is.
  func contain(_ host: String) -> Bool {
    guard !host.isEmpty else { return true }
    if host.hasPrefix("[") {
      guard let end = host.lastIndex(of: "]"), Self.isPort(host[host.index(after: end)...]) else {
        return false
      }
      var parsed = in6_addr()
      return inet_pton(AF_INET6, String(host[host.index(after: host.startIndex)..<end]), &parsed)
        == 1
    }
    let name = host.prefix { $0 != ":" }
    guard Self.isPort(host[name.endIndex...]) else { return false }
    var parsed = in_addr()
    return name == "localhost" || names.contains(String(name))
      || inet_pton(AF_INET, String(name), &parsed) == 1
  }

  /// Whether a text is empty, or a colon and a port.
  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.first == ":" && text.dropFirst().utf8.allSatisfy { 0x30...0x39 ~= $0 }
  }
}
