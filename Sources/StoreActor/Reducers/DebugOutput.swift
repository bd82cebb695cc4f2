import Foundation

/// Where debugging helpers write: standard error, as standard output belongs to the program.
enum DebugOutput {
  static func write(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}
