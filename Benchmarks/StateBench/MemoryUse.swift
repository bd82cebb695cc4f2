import Foundation

/// The resident memory of the program.
enum MemoryUse {
  /// Returns the resident bytes; 0 if the system has no file about them.
  static func resident() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4_096 } ?? 0
  }

  static func print(_ what: String, since before: Int) {
    Swift.print("\(what): \(resident() - before) bytes")
  }
}
