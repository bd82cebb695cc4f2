/// Keeps the main serial executor on during the lifetime of a test store.
///
/// Stores of concurrent tests overlap; the last one releases the executor.
final class SerialExecutorUse: Sendable {
  init() { MainSerialExecutor.acquire() }

  deinit { MainSerialExecutor.release() }
}
