import CZMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The installed libzmq: its version, its capabilities and its memory.
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

  /// The oldest version that this module supports.
  package static let minimumVersion = Version(4, 3, 2)

  /// The version of the library that the process has loaded.
  ///
  /// It may differ from the version of the header at compile time, such as after a downgrade.
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

  /// The resident memory of the process, in bytes; 0 if unknown.
  package static var residentBytes: Int { Int(czmq_resident_bytes()) }

  /// Returns to the system the memory of messages that have been read since the last call.
  ///
  /// It takes some milliseconds, during which other threads may have to wait for memory.
  package static func returnMemory() { czmq_return_memory() }

  /// Returns large blocks to the system as soon as they are freed, in the whole process.
  ///
  /// GNU's allocator also begins with a threshold of 128 KiB, but raises it to the largest block
  /// that was freed: after one large message, later ones lie among small blocks and stay there. A
  /// threshold of 16 KiB would include each connection's buffers, but then a daemon reduces a
  /// seventh fewer actions.
  package static func mapLargeBlocks() { czmq_map_blocks(128 << 10) }

  /// Throws unless the installed library is new enough and supports ipc.
  ///
  /// ``Context`` calls it, so a program cannot omit it.
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
