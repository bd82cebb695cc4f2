import FoundationEssentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The system's figures about processes.
enum Machine {
  /// Nanoseconds of CPU time that this thread has used.
  static var threadNanoseconds: Int64 {
    var time = timespec()
    // Fails only for a clock that the system does not have.
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// CPU time that `body` uses on this thread, in nanoseconds.
  static func cost(of body: () throws -> Void) rethrows -> Int64 {
    let start = threadNanoseconds
    try body()
    return threadNanoseconds - start
  }

  /// Nanoseconds of CPU time that the main thread of a process has used.
  ///
  /// The figure is exact while the thread waits, so it is read after a pause of 2 ms.
  static func mainThreadNanoseconds(of process: Int) throws -> Int64 {
    try nanoseconds(ofThread: process, of: process)
  }

  /// Nanoseconds of CPU time that the existing threads of a process have used.
  static func nanoseconds(of process: Int) throws -> Int64 {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
      .compactMap { Int($0) }.reduce(0) { try $0 + nanoseconds(ofThread: $1, of: process) }
  }

  private static func nanoseconds(ofThread thread: Int, of process: Int) throws -> Int64 {
    var moment = timespec(tv_sec: 0, tv_nsec: 2_000_000)
    nanosleep(&moment, nil)
    let path = "/proc/\(process)/task/\(thread)/schedstat"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    guard let time = text.split(separator: " ").first.flatMap({ Int64($0) }) else {
      throw BenchError("\(path) does not begin with a number: \(text)")
    }
    return time
  }

  /// Nanoseconds of the monotonic clock.
  static var nanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Bytes that this process has caused to be written to disks; 0 if the system does not report it.
  static var writtenBytes: Int {
    let lines = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
    let line = lines.split(separator: "\n").first { $0.hasPrefix("write_bytes:") }
    return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
  }

  /// Bytes of memory that belong to this process alone.
  static var memoryBytes: Int {
    #if os(Linux)
    let lines = (try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)) ?? ""
    let line = lines.split(separator: "\n").first { $0.hasPrefix("Anonymous:") }
    let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return (kibibytes ?? 0) * 1024
    #else
    var statistics = malloc_statistics_t()
    malloc_zone_statistics(nil, &statistics)
    return Int(statistics.size_in_use)
    #endif
  }

  /// Prints that a waiting program is ready, and flushes the output for files.
  static func announce(_ text: String) {
    print(text)
    fflush(nil)
  }
}
