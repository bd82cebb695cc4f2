/// The content of a directory's lock file: `PID TOKEN PROGRAM`.
///
/// The file may have been written by another version, or by another program.
package struct LockText: Hashable, Sendable {
  /// The most bytes that are read from a lock file.
  package static let limit = 128

  /// The process that holds the directory, or held it last.
  package let pid: Int32
  /// The name of its program; nil if the lock file lacks it.
  package let program: String?

  /// Parses the content of a lock file; nil if it names no process.
  package init?(_ bytes: some Collection<UInt8>) {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard let pid = words.first.flatMap({ Int32($0) }), pid > 0 else { return nil }
    self.pid = pid
    program = words.count > 2 ? ProgramName.checked(String(words[2])) : nil
  }
}
