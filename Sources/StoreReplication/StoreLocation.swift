/// Where a daemon is: a directory with two sockets, or an address.
public struct StoreLocation: Hashable, Sendable, CustomStringConvertible {
  /// The endpoint of requests and actions.
  public var control: String
  /// The endpoint of deltas.
  public var publishing: String
  /// The directory; nil for an address.
  public var directory: String?
  /// The id of a user whose daemon is trusted, besides this process's user and root.
  public var owner: UInt32?
  /// The client's key for a daemon at a tcp address; nil for a daemon that requires none.
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
    guard address.hasPrefix("tcp://"), let colon = address.lastIndex(of: ":"),
      let port = UInt16(address[address.index(after: colon)...]), port > 0, port < .max
    else { throw LocationError(address: address) }
    self.init(control: address, publishing: "\(address[...colon])\(port + 1)")
  }

  private init(control: String, publishing: String) {
    directory = nil
    self.control = control
    self.publishing = publishing
  }

  /// The directory that programs use by default: `$STOREACTOR_DIR`, else
  /// `$XDG_RUNTIME_DIR/storeactor`, else `~/.storeactor`.
  public static func defaultDirectory(environment: [String: String]) -> String {
    if let directory = environment["STOREACTOR_DIR"], !directory.isEmpty { return directory }
    if let runtime = environment["XDG_RUNTIME_DIR"], !runtime.isEmpty {
      return "\(runtime)/storeactor"
    }
    return "\(environment["HOME"] ?? ".")/.storeactor"
  }
}

/// An address that is not valid.
public struct LocationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was given.
  public var address: String

  /// The given address, and what was expected.
  public var description: String {
    "\"\(address)\" is no daemon's address. Expected tcp://HOST:PORT with a port from 1 to 65534, "
      + "or ipc://DIRECTORY."
  }
}
