/// Keeps the main serial executor on for as long as a test store lives.
///
/// Stores of tests that run at the same time overlap; the executor goes with the last one.
final class SerialExecutorUse: Sendable {
  init() { MainSerialExecutor.acquire() }

  deinit { MainSerialExecutor.release() }
}
