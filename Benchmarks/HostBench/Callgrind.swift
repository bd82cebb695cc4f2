import Foundation

/// A program that runs under `valgrind --tool=callgrind`.
enum Callgrind {
  /// Makes it dump its counts since the last dump.
  static func dump(_ process: Int) throws {
    let control = Process()
    control.executableURL = URL(filePath: "/usr/bin/env")
    control.arguments = ["callgrind_control", "--dump", "\(process)"]
    control.standardOutput = FileHandle.nullDevice
    control.standardError = FileHandle.nullDevice
    try control.run()
    control.waitUntilExit()
    guard control.terminationStatus == 0 else {
      throw BenchError("callgrind_control --dump \(process) failed; is callgrind running it?")
    }
  }
}
