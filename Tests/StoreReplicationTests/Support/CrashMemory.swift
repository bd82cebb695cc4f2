import StoreActor

@testable import StoreHistory

/// The memory of a daemon's notes, which outlives the daemon.
@MainActor
final class CrashMemory {
  // The notes retain this object, which releases it last.
  private nonisolated(unsafe) let memory: UnsafeMutableRawPointer

  init() {
    memory = .allocate(byteCount: CrashNotes.bytes, alignment: 8)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: CrashNotes.bytes)
  }

  /// Creates memory with the bytes of a file.
  convenience init(_ bytes: [UInt8]) {
    self.init()
    memory.copyMemory(from: bytes, byteCount: min(bytes.count, CrashNotes.bytes))
  }

  deinit { memory.deallocate() }

  /// What a daemon finds that starts now.
  func notes(boot: String = "boot", at wallMilliseconds: UInt64 = 1_000_000) -> CrashNotes {
    // The closure keeps the memory as long as the notes.
    CrashNotes(memory, boot: boot, at: wallMilliseconds) { [self] in _ = self }
  }

  var bytes: [UInt8] {
    Array(UnsafeRawBufferPointer(start: memory, count: CrashNotes.bytes))
  }
}
