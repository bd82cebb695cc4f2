#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The user as whom the process runs, as the system lists it.
enum OwnAccount {
  /// Whether permissions let another user than this one and root write.
  ///
  /// Many systems give each user a group of the same name with no other member, and let that group
  /// write to everything that the user makes. Such a private group is no other user.
  static func letsOthersWrite(mode: UInt32, group: UInt32) -> Bool {
    mode & 0o002 != 0 || mode & 0o020 != 0 && !isPrivate(group: group)
  }

  private static func isPrivate(group: UInt32) -> Bool {
    guard let (name, ownGroup) = user, ownGroup == group else { return false }
    return AccountBuffer.with { buffer, size in
      var entry = GroupEntry()
      var found: UnsafeMutablePointer<GroupEntry>?
      let status = getgrgid_r(group, &entry, buffer, size, &found)
      guard found != nil, String(cString: entry.gr_name) == name else { return (status, false) }
      var member = entry.gr_mem
      while let text = member?.pointee {
        guard String(cString: text) == name else { return (status, false) }
        member = member?.advanced(by: 1)
      }
      return (status, true)
    } ?? false
  }

  private static var user: (name: String, group: UInt32)? {
    AccountBuffer.with { buffer, size in
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      let status = getpwuid_r(geteuid(), &entry, buffer, size, &found)
      return (status, found.map { (String(cString: $0.pointee.pw_name), $0.pointee.pw_gid) })
    }
  }
}

/// Room for what the system lists of a user or a group.
package enum AccountBuffer {
  /// Calls with a buffer that is large enough.
  ///
  /// - Parameter body: Looks something up; its status is `ERANGE` if the buffer is too small.
  /// - Returns: What was found; nil for nothing.
  package static func with<Value>(
    _ body: (_ buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> (status: Int32, value: Value?)
  ) -> Value? {
    var size = 4096
    while true {
      let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
      defer { buffer.deallocate() }
      let result = body(buffer, size)
      guard result.status == ERANGE, size < 1 << 22 else { return result.value }
      size *= 4
    }
  }
}

// The struct, which no parameter here hides.
private typealias GroupEntry = group
