import GenericState
import StoreActor
import StoreProtocol
import StoreState
import StoredWorkspace
import TerminalViews
import Testing

@testable import StorectlMain

/// The pictures of the guide match the screens; `UPDATE=1` in the environment rewrites them.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct ScreenPictureTests {
  private func bench(watching: [String] = []) -> ScreenBench {
    let bench = ScreenBench(width: 96, height: 24, watching: watching, keepsPast: true)
    for title in ["Buy milk", "日本 in spring 🌸", "Answer the letter", "Mend the bicycle"] {
      bench.send(.todos(.addButtonTapped(title: title)))
    }
    for _ in 1...3 { bench.send(.counter(.incrementButtonTapped)) }
    bench.send(.todos(.items(.element(id: UUID(0), action: .toggleButtonTapped))))
    return bench
  }

  /// Simulates a daemon that was busy for a while.
  private func keepBusy(_ daemon: DaemonModel) {
    for second in 0..<90 {
      let wave = UInt64(second * second % 47)
      daemon.handle(
        status: Self.status(revision: UInt64(second * 40) + wave * 3, lag: wave % 7),
        after: 0.4 + Double(wave % 11) / 5,
        interval: 1,
      )
    }
  }

  private static func status(revision: UInt64, lag: UInt64) -> GenericValue {
    .record([
      "epoch": .unsigned(1), "revision": .unsigned(revision),
      "durableRevision": .unsigned(revision),
      "pid": .unsigned(4242), "uptimeMs": .unsigned(5_400_000),
      "sessions": .array([
        session(3, "storectl ui", lag: 0, ["todos", "counter", "game"]),
        session(4, "menu bar", lag: lag, ["todos"]),
        session(9, "lab robot", lag: 0, ["counter", "todos/items/<id>"]),
      ]),
      "counters": .record([
        "actions": .unsigned(1_204), "deltas": .unsigned(2_611), "joins": .unsigned(31),
      ]),
    ])
  }

  private static func session(
    _ id: UInt64,
    _ name: String,
    lag: UInt64,
    _ scopes: [String],
  ) -> GenericValue {
    .record([
      "session": .unsigned(id), "name": .text(name), "user": .unsigned(1_000),
      "peer": .text("localhost"), "unreadBytes": .unsigned(lag * 1_000),
      "unreadMs": .unsigned(lag * 40), "lastHeardMs": .unsigned(id * 31),
      "effects": .unsigned(id % 2), "scopes": .array(scopes.map { .text($0) }),
    ])
  }

  @Test func `Features`() async throws {
    let bench = bench()
    await bench.press("1")
    try await bench.picture("counter")
    await bench.press("2", .down)
    try await bench.picture("todos")
    await bench.press("3", "+", "+", "n", "+", "n")
    try await bench.picture("game")
    await bench.press("?")
    try await bench.picture("keys")
    await bench.press(.escape, ":")
    await bench.type("to s")
    try await bench.picture("commands")
  }

  @Test func `The daemon`() async throws {
    let bench = bench()
    keepBusy(bench.model.daemon)
    for (key, name) in zip("456", ["overview", "sessions", "scopes"]) {
      await bench.press(.character(key))
      try await bench.picture(name)
    }
    await bench.press("7")
    bench.model.daemon.handle(status: Self.status(revision: 8, lag: 0), after: 1, interval: 1)
    bench.model.daemon.askForLog()
    await bench.idle()
    await bench.press(.enter)
    try await bench.picture("log")
    bench.model.daemon.isStale = true
    await bench.press(.escape, "1")
    try await bench.picture("silence")
  }

  @Test func `States`() async throws {
    let bench = bench()
    bench.model.open(try #require(bench.model.daemon.scopes.find("todos")?.description))
    await bench.press(.right, .down, .down, .right)
    bench.send(.todos(.items(.element(id: UUID(1), action: .toggleButtonTapped))))
    try await bench.picture("state")
    await bench.press(",", ",", ",", ",", ",")
    try await bench.picture("past")
    await bench.press("L", "s")
    await bench.type("addb")
    await bench.press(.enter, .control("u"))
    await bench.type("Write it down")
    try await bench.picture("form")
    let watch = self.bench(watching: ["todos", "counter"])
    watch.send(.counter(.incrementButtonTapped))
    try await watch.picture("watch")
  }
}
