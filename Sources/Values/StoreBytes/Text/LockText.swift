/// What the lock of a directory says: `PID TOKEN PROGRAM`.
///
/// The file may have been written by another version, or by another program.
package struct LockText: Hashable, Sendable {
  /// The most bytes that are read of a lock.
  package static let limit = 128

  /// The process that has the directory, or had it last.
  package let pid: Int32
  /// The name of its program; nil if the lock does not tell it.
  package let program: String?

  /// Reads what a lock says; nil if it names no process.
  package init?(_ bytes: some Collection<UInt8>) {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard let pid = words.first.flatMap({ Int32($0) }), pid > 0 else { return nil }
    self.pid = pid
    program = words.count > 2 ? ProgramName.checked(String(words[2])) : nil
  }
}
