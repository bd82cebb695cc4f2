import Foundation

/// How much memory of the program is resident.
enum MemoryUse {
  /// In bytes; 0 where the system does not say so in a file.
  static func resident() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4_096 } ?? 0
  }

  static func print(_ what: String, since before: Int) {
    Swift.print("\(what): \(resident() - before) bytes")
  }
}
