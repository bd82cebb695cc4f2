public import StoreProtocol
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The files of a user's keys, one for each address of a daemon.
///
/// A file has two lines: `daemon` and the daemon's public key, `secret` and the user's secret key.
package struct KeyFile {
  package let path: String
  /// The address of the daemon.
  private let address: String

  /// Determines the path of the key file for a daemon's address; the file may be missing.
  ///
  /// - Parameters:
  ///   - address: The address: `tcp://HOST:PORT`.
  ///   - environment: The environment variables of the process.
  /// - Throws: ``ConnectionError`` if the user has no home directory.
  package init(
    for address: String,
    environment: [String: String],
  ) throws(ConnectionError) {
    guard let folder = UserDirectories(environment: environment).find(.configuration) else {
      throw ConnectionError(.system, "\(HomeError())", remedy: "")
    }
    let name = address.dropFirst("tcp://".count).map { $0 == "/" ? "_" : $0 }
    path = "\(folder.path)/storeactor/keys/\(String(name))"
    self.address = address
  }

  private var directory: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }

  /// Reads the key; nil if the file is missing.
  package func read() throws(ConnectionError) -> StoreKey? { try Self.read(path) }

  private static func read(_ path: String) throws(ConnectionError) -> StoreKey? {
    let bytes: [UInt8]
    do throws(TrustedFile.Problem) {
      bytes = try SecretFile.read(path)
    } catch .missing {
      return nil
    } catch {
      throw ConnectionError(.notAllowed, "\(error)", remedy: "")
    }
    var keys: [Substring: [UInt8]] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2 { keys[words[0]] = KeyText.key(words[1]) }
    }
    guard let daemon = keys["daemon"], let secret = keys["secret"] else {
      throw ConnectionError(
        .notAllowed,
        "\(TrustedFile.Problem.malformed(path))",
        remedy: "Or remove it, and enrol again.",
      )
    }
    return StoreKey(daemon: daemon, secret: secret)
  }

  /// The file of a key until its enrolment is confirmed.
  private var preparation: String { "\(path).new" }

  /// Writes a key that is not in use yet, unless one exists; ``keep()`` or ``drop()`` follows.
  ///
  /// - Parameter daemon: The daemon's public key.
  /// - Returns: A new key, or the key of an earlier attempt whose outcome is unknown.
  /// - Throws: ``ConnectionError`` if a key is in use, or the new key cannot be written.
  package func prepare(for daemon: [UInt8]) throws(ConnectionError) -> StoreKey {
    do {
      _ = try TrustedPath.follow(directory, makingDirectories: true)
      guard access(path, F_OK) != 0 else { throw occupied(for: daemon) }
      // A file that others could read, or that is incomplete, is replaced.
      if let left = try? Self.read(preparation), left.daemon == daemon { return left }
      drop()
      let key = StoreKey(daemon: daemon, secret: try CurvePair().secretKey)
      let text = "daemon \(KeyText.text(key.daemon))\nsecret \(KeyText.text(key.secret))\n"
      try SecretFile.create(preparation, Array(text.utf8))
      return key
    } catch let error as ConnectionError {
      throw error
    } catch {
      throw ConnectionError(.notAllowed, "\(error)", remedy: "")
    }
  }

  /// The error if a key is in use: a new key would replace it, and its grants would be lost.
  private func occupied(for daemon: [UInt8]) -> ConnectionError {
    let removal = "rm \(ShellWord.quoted(path))"
    guard let key = try? read() else {
      return ConnectionError(
        .occupied,
        "There is a file \(path) already, which is no key that can be used.",
        remedy: "To enrol with this line, remove it first: \(removal)",
      )
    }
    guard key.daemon == daemon else {
      return ConnectionError(
        .occupied,
        "There is a key for \(address) already, in \(path), but this line is of another daemon "
          + "than the one that it was made for.",
        remedy: "If the daemon's owner confirms a new key, remove the old file first: \(removal)",
      )
    }
    return ConnectionError(
      .occupied,
      "You have enrolled at \(address) already: the key is in \(path).",
      remedy: "Use it: storectl --connect \(address) scopes. To enrol again, such as when "
        + "it was revoked, remove it first: \(removal)",
    )
  }

  /// Puts the prepared key into use.
  package func keep() throws(ConnectionError) {
    guard rename(preparation, path) == 0 else {
      let problem = TrustedFile.Problem.failed(path, code: errno)
      throw ConnectionError(.notAllowed, "\(problem)", remedy: "The key is in \(preparation).")
    }
  }

  /// Deletes the prepared key.
  package func drop() { unlink(preparation) }
}

extension StoreLocation {
  /// The location, with the key from this user's enrolment with the daemon, if there is one.
  ///
  /// Keys are in the directory `storeactor/keys` of `$XDG_CONFIG_HOME` or `~/.config`.
  ///
  /// - Parameter environment: The environment variables of the process.
  /// - Returns: The location with the key.
  /// - Throws: ``ConnectionError`` if other users can read the key's file, or it is invalid.
  public func enrolled(environment: [String: String]) throws(ConnectionError) -> StoreLocation {
    guard directory == nil else { return self }
    var location = self
    location.key = try KeyFile(for: control, environment: environment).read()
    return location
  }
}
