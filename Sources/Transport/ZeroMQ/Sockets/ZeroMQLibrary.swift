import CZMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The installed libzmq: which it is, and whether it will do.
package enum ZeroMQLibrary {
  /// A version of libzmq.
  package struct Version: Comparable, CustomStringConvertible, Sendable {
    package let major: Int32
    package let minor: Int32
    package let patch: Int32

    package init(_ major: Int32, _ minor: Int32, _ patch: Int32) {
      self.major = major
      self.minor = minor
      self.patch = patch
    }

    package var description: String { "\(major).\(minor).\(patch)" }

    package static func < (left: Self, right: Self) -> Bool {
      (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
  }

  /// The oldest version this module is written for.
  package static let minimumVersion = Version(4, 3, 2)

  /// The version of the library the process runs with.
  ///
  /// Not that of the header it was compiled with: the two differ after a downgrade.
  package static var version: Version {
    var major: Int32 = 0
    var minor: Int32 = 0
    var patch: Int32 = 0
    zmq_version(&major, &minor, &patch)
    return Version(major, minor, patch)
  }

  /// Whether the library was built with a capability, such as `ipc`, `curve` or `draft`.
  package static func has(_ capability: String) -> Bool {
    zmq_has(capability) == 1
  }

  /// How much memory the process has, in bytes; 0 where that is not known.
  package static var residentBytes: Int { Int(czmq_resident_bytes()) }

  /// Gives back to the system what the library took for messages that were read since.
  ///
  /// It takes some milliseconds, and others who want memory may have to wait for them.
  package static func returnMemory() { czmq_return_memory() }

  /// Returns large blocks to the system as soon as they are freed, in the whole process.
  ///
  /// GNU's allocator also begins with a limit of 128 KiB, but raises it to the largest block that
  /// was freed: then one large message is enough for later ones to lie among small blocks and to
  /// stay there. With 16 KiB, so that it applies to each connection's buffers, a daemon takes a
  /// seventh fewer actions.
  package static func mapLargeBlocks() { czmq_map_blocks(128 << 10) }

  /// Throws unless the installed library is new enough and can speak over ipc.
  ///
  /// ``Context`` calls it, so that a program cannot forget to.
  package static func check() throws(ZeroMQError) {
    try check(version: version, hasIPC: has("ipc"))
  }

  static func check(version: Version, hasIPC: Bool) throws(ZeroMQError) {
    guard version < minimumVersion || !hasIPC else { return }
    let built = hasIPC ? "" : ", built without ipc"
    throw ZeroMQError(
      code: EPROTONOSUPPORT,
      operation: "use",
      subject: "the installed libzmq \(version)\(built)",
      remedy: "Version \(minimumVersion) or later with ipc is needed: install libzmq3-dev or "
        + "libzmq5 (Debian, Ubuntu) or zeromq (Homebrew).",
    )
  }
}
