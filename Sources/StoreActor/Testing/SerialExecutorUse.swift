import Synchronization

/// Switches the main serial executor on for as long as any test store lives.
///
/// Stores of tests that run at the same time overlap: the first one notes how things were, and the
/// last one puts them back.
final class SerialExecutorUse: Sendable {
  private struct State {
    var count = 0
    var previous = false
  }

  private static let state = Mutex(State())

  init() {
    Self.state.withLock { state in
      if state.count == 0 { state.previous = uncheckedUseMainSerialExecutor }
      state.count += 1
      uncheckedUseMainSerialExecutor = true
    }
  }

  deinit {
    Self.state.withLock { state in
      state.count -= 1
      if state.count == 0 { uncheckedUseMainSerialExecutor = state.previous }
    }
  }
}
