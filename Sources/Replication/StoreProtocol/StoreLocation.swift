/// The location of a daemon: a directory with two sockets, or an address.
public struct StoreLocation: Hashable, Sendable, CustomStringConvertible {
  /// The endpoint of requests and actions.
  public var control: String
  /// The endpoint of deltas.
  public var publishing: String
  /// The directory; nil for an address.
  public var directory: String?
  /// The id of a user whose daemon is trusted, besides this process's user and root.
  public var owner: UInt32?
  /// The client's key for a daemon at a tcp address; nil for a daemon without keys.
  public var key: StoreKey?

  /// The directory or the address.
  public var description: String { directory ?? control }

  /// The daemon of a directory.
  public init(directory: String) {
    self.directory = directory
    control = "ipc://\(directory)/ctl"
    publishing = "ipc://\(directory)/pub"
  }

  /// The daemon at an address: `ipc://DIR`, or `tcp://HOST:PORT`, whose deltas are on PORT + 1.
  ///
  /// - Throws: ``LocationError`` for anything else.
  public init(address: String) throws(LocationError) {
    if address.hasPrefix("ipc://") {
      self.init(directory: String(address.dropFirst("ipc://".count)))
      return
    }
    guard let parts = TCPAddress(address), parts.port < .max else {
      throw LocationError(address: address)
    }
    self.init(control: address, publishing: "tcp://\(parts.host):\(parts.port + 1)")
  }

  private init(control: String, publishing: String) {
    directory = nil
    self.control = control
    self.publishing = publishing
  }

  /// The directory that programs use by default: `$STOREACTOR_DIR`, else
  /// `$XDG_RUNTIME_DIR/storeactor`, else `~/.storeactor`.
  ///
  /// A relative `$XDG_RUNTIME_DIR` or `$HOME` counts as not set. Without `$HOME` the home directory
  /// is that of the user's account.
  ///
  /// - Parameter environment: The environment variables of the process.
  /// - Returns: The directory's path.
  /// - Throws: ``HomeError`` if a home directory is needed and there is none.
  public static func defaultDirectory(
    environment: [String: String]
  ) throws(HomeError) -> String {
    if let directory = environment["STOREACTOR_DIR"], !directory.isEmpty { return directory }
    guard let found = UserDirectories(environment: environment).ofSockets else {
      throw HomeError()
    }
    return found.path
  }
}

/// The parts of an address `tcp://HOST:PORT`.
///
/// Other forms are refused: in `tcp://127.0.0.1:0;192.0.2.2:5871` libzmq connects to the address
/// after the semicolon, and other characters mean interfaces or any port.
package struct TCPAddress: Hashable, Sendable {
  /// A name, or an address of IPv4 in digits.
  package let host: Substring
  package let port: UInt16

  /// Reads an address; nil for anything else.
  package init?(_ text: String) {
    guard text.hasPrefix("tcp://") else { return nil }
    let parts = text.dropFirst("tcp://".count).split(
      separator: ":",
      omittingEmptySubsequences: false,
    )
    guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(Self.isOfName),
      parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(parts[1]),
      port > 0
    else { return nil }
    host = parts[0]
    self.port = port
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    default: [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
    }
  }
}

/// An address that is not valid.
public struct LocationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The given text.
  public var address: String

  package init(address: String) { self.address = address }

  /// The given text, and the expected form.
  public var description: String {
    "\"\(address)\" is no daemon's address. Expected tcp://HOST:PORT with a port from 1 to 65534, "
      + "or ipc://DIRECTORY."
  }
}
