#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The hosts that a request for metrics may name.
///
/// A web page can have a name of its own lead to this machine, and then a browser lets it read what
/// is answered. It cannot do so by an address in digits, nor by `localhost`.
struct MetricsHosts: Hashable {
  /// Further names, in lower case.
  private let names: Set<String>

  init(_ names: [String] = []) { self.names = Set(names.map { $0.lowercased() }) }

  /// Whether a request may name a host.
  ///
  /// - Parameter host: What it names, with or without a port, in lower case; empty for nothing.
  /// - Returns: Whether that is one of them.
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

  /// Whether a text is a colon and a port, or nothing.
  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.first == ":" && text.dropFirst().utf8.allSatisfy { 0x30...0x39 ~= $0 }
  }
}
