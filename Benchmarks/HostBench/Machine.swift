import FoundationEssentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What the system says of this process.
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
  /// It is exact once the thread waits: therefore it is given a moment to.
  static func mainThreadNanoseconds(of process: Int) throws -> Int64 {
    try nanoseconds(ofThread: process, of: process)
  }

  /// Nanoseconds of CPU time that all threads of a process have used, of those that it has now.
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

  /// Nanoseconds of a clock that goes on whatever this thread does.
  static var nanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Bytes that this process has had written to disks; 0 where the system does not say.
  static var writtenBytes: Int {
    let lines = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
    let line = lines.split(separator: "\n").first { $0.hasPrefix("write_bytes:") }
    return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
  }

  /// Bytes of memory that are this process's own.
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

  /// Says that a program which waits can be used, also where its output is a file.
  static func announce(_ text: String) {
    print(text)
    fflush(nil)
  }
}
