import StoreActor
import StoreState
import Testing

@testable import StoredWorkspace

@Suite struct GameWireTests {
  @Test("The secret stays in the daemon until the round ends")
  func secret() throws {
    let state = Game.State(counter: GuessCounter.State(id: UUID(1), count: 3, secret: 42))
    let copy = try Game.State(encoded: state.encoded())
    #expect(copy.counter.count == 3)
    #expect(copy.counter.secret == 0)
    #expect(copy.counter.verdict == .lower)
    let text = String(decoding: state.encoded(), as: UTF8.self)
    #expect(!text.contains("secret"))
    #expect(!text.contains("roundStart"))
  }

  @Test("A client may only play, edit and answer the alert")
  func actions() throws {
    let playable: [Game.Action] = [
      .counter(.guessChanged(guess: 5)), .timer(.startButtonTapped), .resultsButtonTapped,
      .resultList(.removed(id: UUID(1))), .alert(.presented(.saveButtonTapped)), .alert(.dismiss),
    ]
    for action in playable {
      #expect(try Game.Action(encoded: action.encoded()) == action)
    }
    let secrets: [Game.Action] = [.saveResponse(.failure(SaveError("no"))), .timer(.ticked)]
    for action in secrets {
      #expect(throws: CodecError.self) { try action.encoded() }
    }
  }

  @Test("A step of the game is a small delta, and leads a copy to the same state")
  func delta() throws {
    let old = Game.State(counter: GuessCounter.State(id: UUID(1), count: 3, secret: 42))
    var new = old
    new.timer.duration += GameTimer.step
    let delta = try #require(new.delta(from: old))
    #expect(delta.count < 24)
    let copy = try Game.State(encoded: old.encoded()).applying(delta: delta)
    #expect(copy.encoded() == new.encoded())
    #expect(copy._$digest == new._$digest)
  }
}
