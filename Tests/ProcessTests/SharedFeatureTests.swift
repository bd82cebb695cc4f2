import GenericState
import SerialProbe
import StoreActor
import StoreClient
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A form of a daemon's notes, which two programs use.
@Reducer
private struct NotesForm {
  @ObservableState
  struct State: Equatable, Sendable {
    @Shared(.store("notes")) var notes = ProbeNotes(title: "not there yet")
    var counted = 0
  }

  enum Action: Equatable, Sendable {
    case titleChanged(String)
    case countButtonTapped
    case counted
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .titleChanged(let title):
        state.$notes.title.withLock { $0 = title }
        return .none
      case .countButtonTapped:
        return .run { [notes = state.$notes] send in
          try await Shared.update(notes) { $0.count += 1 }
          await send(.counted)
        }
      case .counted:
        state.counted += 1
        return .none
      }
    }
  }
}

extension ProcessTests {
  @Suite("A feature with a value that processes share")
  @MainActor
  struct SharedFeatureTests {
    @Test("Two processes' exhaustive tests see each other's changes, also after a sudden end")
    func twoProcesses() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon(.serialProbe, ["--keep"])
        let before = try await world.watch("notes", "--deltas")
        try await withForm(in: world.directory) { form in
          async let other: Void = Self.runOther(in: world.directory)
          await form.receiveSharedChange { $0.$notes.title.withLock { $0 = "from the other" } }
          await form.send(.countButtonTapped)
          await form.receive(.counted) {
            $0.$notes.count.withLock { $0 = 1 }
            $0.counted = 1
          }
          await form.send(.titleChanged("your turn")) {
            $0.$notes.title.withLock { $0 = "your turn" }
          }
          await form.receiveSharedChange {
            $0.$notes.withLock { $0 = ProbeNotes(title: "yours again", count: 2) }
          }
          let deltas = try await before.output.lines(atLeast: 6).dropFirst()
          #expect(
            try deltas.map { try WatchLine($0).delta?.text() } == [
              #"{"changed":{"title":"from the other"}}"#,
              #"{"changed":{"count":1}}"#,
              #"{"changed":{"title":"your turn"}}"#,
              #"{"changed":{"count":2}}"#,
              #"{"changed":{"title":"yours again"}}"#,
            ]
          )
          daemon.send(signal: SIGKILL)
          _ = try await daemon.ended()
          await form.send(.titleChanged("while it was gone")) {
            $0.$notes.title.withLock { $0 = "while it was gone" }
          }
          _ = try await world.startDaemon(.serialProbe, ["--keep"])
          await form.receiveSharedChange {
            $0.$notes.withLock { $0 = ProbeNotes(title: "counted again", count: 3) }
          }
          await form.send(.titleChanged("goodbye")) {
            $0.$notes.title.withLock { $0 = "goodbye" }
          }
          await other
          let notes = try await world.snapshot("notes")
          #expect(notes.state.text() == #"{"title":"goodbye","count":3}"#)
          // One for each change, and one for the restart.
          #expect(notes.revision == 10)
        }
      }
    }

    /// The other process: this test's program once more.
    nonisolated private static func runOther(in directory: String) async {
      await #expect(processExitsWith: .success) { [directory = directory as String] in
        try await SharedFeatureTests().takePart(in: directory)
      }
    }

    private func takePart(in directory: String) async throws {
      try await withForm(in: directory) { form in
        await form.send(.titleChanged("from the other")) {
          $0.$notes.title.withLock { $0 = "from the other" }
        }
        await form.receiveSharedChange {
          $0.$notes.withLock { $0 = ProbeNotes(title: "your turn", count: 1) }
        }
        await form.send(.countButtonTapped)
        await form.receive(.counted) {
          $0.$notes.count.withLock { $0 = 2 }
          $0.counted = 1
        }
        await form.send(.titleChanged("yours again")) {
          $0.$notes.title.withLock { $0 = "yours again" }
        }
        await form.receiveSharedChange { $0.$notes.title.withLock { $0 = "while it was gone" } }
        await form.send(.countButtonTapped)
        await form.receive(.counted) {
          $0.$notes.count.withLock { $0 = 3 }
          $0.counted = 2
        }
        await form.send(.titleChanged("counted again")) {
          $0.$notes.title.withLock { $0 = "counted again" }
        }
        await form.receiveSharedChange { $0.$notes.title.withLock { $0 = "goodbye" } }
      }
    }

    /// Tests the form over a connection of its own, after the daemon's notes have arrived.
    private func withForm(
      in directory: String,
      _ body: (TestStoreOf<NotesForm>) async throws -> Void,
    ) async throws {
      let location = StoreLocation(directory: directory)
      let connection = try StoreConnection(to: location, name: "process tests")
      connection.actionTimeToLive = nil
      do {
        let form = TestStore(initialState: NotesForm.State()) {
          NotesForm()
        } withDependencies: {
          connection.share(in: &$0)
        }
        form.timeout = .seconds(20) * TestPatience.factor
        // A wait for the other process would block the main thread for all other tasks.
        form.useMainSerialExecutor = false
        await form.receiveSharedChange { $0.$notes.withLock { $0 = ProbeNotes() } }
        try await body(form)
      } catch {
        try connection.close()
        throw error
      }
      try connection.close()
    }
  }
}
