import GenericState
import StoreActor
import StoreState

@testable import StoreExposures

/// A yard of bells: a root whose scopes emit outputs, for tests of outputs on the wire.
struct Yard: Reducer {
  struct State: Equatable, Sendable {
    var bell = Bell()
    var spare: Bell?
    var rows: IdentifiedArrayOf<Row> = [Row(id: 1), Row(id: 2)]
    /// A field outside all exposures.
    var bats = 0
  }

  struct Bell: Equatable, Sendable {
    var rings = 0
    var metal = ""
  }

  struct Row: Equatable, Identifiable, Sendable {
    var id = 0
    var rings = 0
  }

  enum Action: Sendable {
    case bell(BellAction)
    case spare(BellAction)
    case rows(IdentifiedAction<Int, BellAction>)
    case batsCame
  }

  enum BellAction: Equatable, Sendable {
    case rung
    /// Emits an output without a change.
    case touched
    /// Emits two outputs around one that is private to the daemon.
    case rungTwice
    /// Starts an effect that emits an output when the gate opens.
    case rungLater
    /// Changes the given number of bytes.
    case recast(bytes: Int)
    /// Emits an output of about the given number of bytes.
    case shouted(bytes: Int)
  }

  /// The output type that clients receive.
  struct Sound: Equatable, Sendable {
    var text = ""
  }

  /// An output type that no exposure names.
  struct Secret: Sendable {}

  let gate: Gate

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .bell(let action):
        if case .recast(let bytes) = action {
          state.bell.metal = String(repeating: "x", count: bytes)
          return .output(Sound(text: "recast"))
        }
        if action != .touched { state.bell.rings += 1 }
        return effect(of: action, "bell \(state.bell.rings)")
      case .spare(let action):
        state.spare?.rings += 1
        return effect(of: action, "spare \(state.spare?.rings ?? 0)")
      case .rows(.element(let id, let action)):
        state.rows[id: id]?.rings += 1
        return effect(of: action, "row \(id)")
      case .batsCame:
        state.bats += 1
        return .output(Sound(text: "bats"))
      }
    }
  }

  private func effect(of action: BellAction, _ text: String) -> Effect<Action> {
    let sound = Sound(text: text)
    switch action {
    case .rung, .touched: return .output(sound)
    case .rungTwice:
      return .concatenate(.output(sound), .output(Secret()), .output(Sound(text: text + " again")))
    case .rungLater:
      return .run { [gate] send in
        await gate.wait()
        await send.output(Sound(text: "late"))
      }
    case .recast: return .none
    case .shouted(let bytes): return .output(Sound(text: String(repeating: "o", count: bytes)))
    }
  }

  static let exposures: [Expose<State, Action>] = [
    Expose("bell", state: \.bell, action: \.bell, output: Sound.self),
    Expose("mute", state: \.bell, action: \.bell),
    Expose(each: "row", state: \.rows, action: \.rows, output: Sound.self),
    Expose("spare", state: \.spare, action: \.spare, output: Sound.self),
  ]
}

extension BenchOf<Yard.State, Yard.Action> {
  /// Creates a daemon of the yard.
  convenience init(exposures: [Expose<Yard.State, Yard.Action>] = Yard.exposures) {
    let gate = Gate()
    let root = RootCore(initialState: { Yard.State() }, reducer: { Yard(gate: gate) })
    self.init(root, exposures: exposures, gate: gate)
  }
}

extension Watched {
  /// The outputs' texts.
  var sounds: [String?] {
    outputs.map { if case .text(let text)? = $0[field: "text"] { text } else { nil } }
  }
}

// MARK: - The wire

extension Yard.Bell: ReplicatedRecord {
  static let layout = RecordLayout<Self>(
    "Bell",
    [.field("rings", \.rings), .field("metal", \.metal)],
  )
}

extension Yard.Row: ReplicatedRecord {
  static let layout = RecordLayout<Self>("Row", [.field("id", \.id), .field("rings", \.rings)])
}

extension Yard.Sound: ReplicatedRecord {
  static let layout = RecordLayout<Self>("Sound", [.field("text", \.text)])
}

extension Yard.BellAction: WireChoiceAction {
  static let layout = ActionLayout<Self>("Bell.Action", [.case("rung", .rung)])
}

extension Yard.Action: CasePathable {
  struct AllCasePaths: Sendable {
    var bell: AnyCasePath<Yard.Action, Yard.BellAction> {
      AnyCasePath(
        embed: { .bell($0) },
        extract: { if case .bell(let action) = $0 { action } else { nil } },
      )
    }

    var spare: AnyCasePath<Yard.Action, Yard.BellAction> {
      AnyCasePath(
        embed: { .spare($0) },
        extract: { if case .spare(let action) = $0 { action } else { nil } },
      )
    }

    var rows: AnyCasePath<Yard.Action, IdentifiedAction<Int, Yard.BellAction>> {
      AnyCasePath(
        embed: { .rows($0) },
        extract: { if case .rows(let action) = $0 { action } else { nil } },
      )
    }
  }

  static var allCasePaths: AllCasePaths { AllCasePaths() }
}
