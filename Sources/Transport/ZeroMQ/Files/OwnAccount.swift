#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The user that the process runs as, as the system lists it.
enum OwnAccount {
  /// Whether permissions let a user other than this one and root write.
  ///
  /// Many systems give each user a group of the same name without another member, and let that
  /// group write to every file that the user makes. Such a private group is not another user.
  static func letsOthersWrite(mode: UInt32, group: UInt32) -> Bool {
    mode & 0o002 != 0 || mode & 0o020 != 0 && !isPrivate(group: group)
  }

  private static func isPrivate(group: UInt32) -> Bool {
    guard let (name, ownGroup) = user, ownGroup == group else { return false }
    // If the lookup fails, the group may have other members.
    let isPrivate = try? AccountBuffer.with { buffer, size -> (status: Int32, value: Bool?) in
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
    }
    return isPrivate ?? false
  }

  private static var user: (name: String, group: UInt32)? {
    try? AccountBuffer.with { buffer, size in
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      let status = getpwuid_r(geteuid(), &entry, buffer, size, &found)
      return (status, found.map { (String(cString: $0.pointee.pw_name), $0.pointee.pw_gid) })
    }
  }
}

/// A failed lookup of a user or a group: whether the entry exists is unknown.
package struct LookupFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number of the system's error.
  package let code: Int32

  package init(code: Int32) { self.code = code }

  package var description: String { String(cString: strerror(code)) }
}

/// A buffer for the system's entry of a user or a group.
package enum AccountBuffer {
  private static let mostBytes = 1 << 24

  /// Calls a closure with a buffer that is large enough.
  ///
  /// - Parameter body: Looks an entry up; its status is `ERANGE` if the buffer is too small.
  /// - Returns: The closure's value; nil if the system has no such entry.
  /// - Throws: ``LookupFailure`` if the lookup failed.
  package static func with<Value>(
    _ body: (_ buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> (status: Int32, value: Value?)
  ) throws(LookupFailure) -> Value? {
    var size = 4096
    while true {
      let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
      defer { buffer.deallocate() }
      let result = body(buffer, size)
      if let value = result.value { return value }
      switch result.status {
      case 0: return nil
      case EINTR: continue
      case ERANGE where size < mostBytes: size *= 4
      default: throw LookupFailure(code: result.status)
      }
    }
  }

  /// Looks up a user's number.
  ///
  /// - Parameter name: The user's name.
  /// - Returns: The number; nil if there is no such user.
  /// - Throws: ``LookupFailure``.
  package static func user(named name: String) throws(LookupFailure) -> UInt32? {
    try with { buffer, size in
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      let status = getpwnam_r(name, &entry, buffer, size, &found)
      return (status, found == nil ? nil : entry.pw_uid)
    }
  }

  /// Looks up a group.
  ///
  /// - Parameter name: The group's name.
  /// - Returns: Its number and the names of its listed members; nil if there is no such group.
  /// - Throws: ``LookupFailure``.
  package static func group(
    named name: String
  ) throws(LookupFailure) -> (id: UInt32, members: [String])? {
    try with { buffer, size in
      var entry = GroupEntry()
      var found: UnsafeMutablePointer<GroupEntry>?
      let status = getgrnam_r(name, &entry, buffer, size, &found)
      guard found != nil else { return (status, nil) }
      var members: [String] = []
      var member = entry.gr_mem
      while let text = member?.pointee {
        members.append(String(cString: text))
        member = member?.advanced(by: 1)
      }
      return (status, (entry.gr_gid, members))
    }
  }
}

// The C struct; no parameter in this file's scope shadows its name.
private typealias GroupEntry = group
