import StoreActor
import StoreSimulation
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreProtocol

@MainActor
@Suite("Notes of reductions during which a daemon ended")
struct CrashNotesTests {
  private let memory = CrashMemory()
  private let client = Identifier(high: 1, low: 2)
  private let other = Identifier(high: 3, low: 4)
  private let start: UInt64 = 1_000_000

  /// A daemon starts, and reduces an action; then it ends, in the reduction or after it.
  ///
  /// - Returns: Whether the action was reduced.
  private func run(
    _ action: [UInt8] = [1],
    of client: Identifier,
    _ sequence: UInt64 = 1,
    to scope: String = "todos",
    at time: UInt64,
    isFatal: Bool = true,
  ) -> Bool {
    let notes = memory.notes(at: time)
    do throws(Outcome.Failure) {
      try notes.begin(action[...], of: client, sequence, to: scope, at: time)
      if !isFatal { notes.end() }
      return true
    } catch {
      #expect(error.code == Outcome.crashed)
      return false
    }
  }

  @Test("A daemon that ended between reductions has not crashed")
  func orderly() throws {
    #expect(run(of: client, at: start, isFatal: false))
    let notes = memory.notes(at: start + 1)
    #expect(notes.found == nil && !notes.hasCrashes && !notes.isOpen)
  }

  @Test("A note is found by the next daemon, once")
  func found() throws {
    #expect(run(of: client, 7, to: "todos/é", at: start))
    let found = try #require(memory.notes(at: start + 5).found)
    #expect(found.client == client && found.sequence == 7 && found.name == "todos/é")
    #expect(found.wallMilliseconds == start + 5)
    let again = memory.notes(at: start + 6)
    #expect(again.found == nil && again.crashes(at: start + 6) == [found])
  }

  @Test("An action is reduced twice at most, and other actions are reduced all the time")
  func twice() {
    #expect(run(of: client, at: start))
    #expect(run(of: client, at: start + 1))
    #expect(!run(of: client, at: start + 2))
    #expect(!run(of: client, at: start + 3))
    #expect(run([2], of: client, 2, at: start + 4, isFatal: false))
    #expect(run(of: client, 3, to: "counter", at: start + 5, isFatal: false))
  }

  @Test("Equal actions of all clients are refused after three crashes, for longer each time")
  func equalActions() {
    #expect(run(of: client, 1, at: start))
    #expect(run(of: client, 1, at: start + 1))
    #expect(run(of: other, 1, at: start + 2))
    // The time begins when the crash is found.
    let minute: UInt64 = 60_000
    #expect(!run(of: other, 2, at: start + minute))
    #expect(run([2], of: other, 3, at: start + minute, isFatal: false))
    #expect(run(of: client, 2, to: "counter", at: start + minute, isFatal: false))
    #expect(!run(of: client, 4, at: start + 10 * minute))
    #expect(run(of: client, 5, at: start + 12 * minute))
    #expect(!run(of: other, 6, at: start + 13 * minute))
    #expect(!run(of: other, 7, at: start + 32 * minute))
    #expect(run(of: other, 8, at: start + 34 * minute, isFatal: false))
  }

  @Test("Crashes without a client refuse no action, and are kept once for each cause")
  func otherCauses() throws {
    // The first crash makes the notes hash each action.
    #expect(run([9], of: other, at: start))
    for round in 1...5 {
      let notes = memory.notes(at: start + 10)
      try notes.begin([1], of: client, UInt64(round), to: "todos", at: start + 10)
      notes.end()
      notes.begin("the restoration")
    }
    let notes = memory.notes(at: start + 20)
    #expect(notes.crashes(at: start + 20).map(\.name) == ["todos", "the restoration"])
    try notes.begin([1], of: client, 6, to: "todos", at: start + 20)
  }

  @Test("Crashes without a client make room before those of actions")
  func room() throws {
    for sequence in 1...2 as ClosedRange<UInt64> {
      #expect(run(of: client, 1, at: start + sequence))
    }
    for number in 0..<CrashNotes.mostCrashes + 5 {
      memory.notes(at: start + 10).begin("cause \(number)")
    }
    #expect(!run(of: client, 1, at: start + 20))
    let crashes = memory.notes(at: start + 20).crashes(at: start + 20)
    #expect(crashes.count == CrashNotes.mostCrashes && crashes.last?.name == "cause 44")
  }

  @Test("A clock that was set back keeps no crash longer than a day")
  func futureClock() {
    let future = start + 100 * CrashNotes.keptMilliseconds
    for _ in 1...2 { #expect(run(of: client, at: future)) }
    #expect(memory.notes(at: start).crashes(at: start).map(\.wallMilliseconds) == [start, start])
    #expect(run(of: client, at: start + CrashNotes.keptMilliseconds, isFatal: false))
  }

  @Test("Three crashes in more than ten minutes refuse no equal action")
  func slow() {
    let minutes: UInt64 = 60_000
    #expect(run(of: client, 1, at: start))
    #expect(run(of: client, 1, at: start + 1))
    #expect(run(of: other, 1, at: start + 9 * minutes))
    #expect(run(of: other, 2, at: start + 19 * minutes))
  }

  @Test("A clock that is set back does not prolong a refusal")
  func clock() throws {
    let notes = memory.notes(at: start)
    for (client, time) in [(client, start), (client, start + 1), (other, start + 2)] {
      #expect(run(of: client, at: time))
    }
    _ = memory.notes(at: start + 3)
    let failure = #expect(throws: Outcome.Failure.self) {
      try notes.begin([1], of: other, 9, to: "todos", at: 0)
    }
    #expect(try #require(failure).message.contains("600 s"))
  }

  @Test("Crashes are forgotten after a day, and when they are forgiven")
  func forgotten() {
    for isForgiven in [true, false] {
      let memory = CrashMemory()
      _ = memory.notes()
      for _ in 1...2 {
        try? memory.notes().begin([1], of: client, 1, to: "todos", at: start)
      }
      let notes = memory.notes()
      #expect(notes.crashes(at: start).count == 2)
      #expect(throws: Outcome.Failure.self) {
        try notes.begin([1], of: client, 1, to: "todos", at: start)
      }
      var later = start + CrashNotes.keptMilliseconds
      if isForgiven {
        var bytes = memory.bytes
        bytes.replaceSubrange(
          CrashNotes.countOffset..<CrashNotes.countOffset + 8,
          with: [UInt8](repeating: 0, count: 8),
        )
        later = start
        #expect(throws: Never.self) {
          try CrashMemory(bytes).notes().begin([1], of: client, 1, to: "todos", at: later)
        }
      } else {
        #expect(throws: Never.self) {
          try notes.begin([1], of: client, 1, to: "todos", at: later)
        }
      }
    }
  }

  @Test("A note from before a start of the machine is ignored, and older crashes are kept")
  func boots() throws {
    #expect(run(of: client, at: start))
    #expect(run(of: client, at: start))
    let notes = memory.notes(boot: "another", at: start)
    #expect(notes.found == nil && notes.crashes(at: start).count == 1)
  }

  @Test("The newest crashes are kept, in bounded memory")
  func bounded() throws {
    for sequence in 1...UInt64(CrashNotes.mostCrashes) + 5 {
      #expect(run([UInt8(sequence)], of: client, sequence, at: start + sequence))
    }
    let crashes = memory.notes(at: start + 100).crashes(at: start)
    #expect(crashes.map(\.sequence) == Array(6...UInt64(CrashNotes.mostCrashes) + 5))
  }

  @Test("A long name is cut")
  func longNames() throws {
    memory.notes().begin(String(repeating: "ü", count: 100))
    #expect(try #require(memory.notes().found).name == String(repeating: "ü", count: 64))
    memory.notes().begin("")
    #expect(try #require(memory.notes().found).name == "")
  }

  @Test("Any bytes can be in the file")
  func damaged() {
    var generator = SeededGenerator(seed: 5)
    #expect(run(of: client, at: start))
    let valid = memory.bytes
    for round in 0..<500 {
      var bytes = valid
      for _ in 0..<(round % 20) {
        let most = round % 3 == 0 ? 600 : bytes.count
        let place = Int.random(in: 0..<most, using: &generator)
        bytes[place] = .random(in: 0...255, using: &generator)
      }
      let notes = CrashMemory(bytes).notes(at: .random(in: 0 ... .max, using: &generator))
      for crash in notes.crashes(at: start) { #expect(crash.name.utf8.count <= 3 * 128) }
      _ = CrashNotes.crashes(inFile: bytes)
      let now = UInt64.random(in: 0 ... .max, using: &generator)
      try? notes.begin([1], of: client, 1, to: "todos", at: now)
      notes.end()
    }
    #expect(CrashNotes.crashes(inFile: []) == nil)
    #expect(CrashNotes.crashes(inFile: [UInt8](repeating: 1, count: CrashNotes.bytes)) == nil)
  }
}
