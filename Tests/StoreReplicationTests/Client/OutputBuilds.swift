import StoreActor
import StoreState

@testable import StoreExposures

/// Chimes that emit sounds: the same state in all builds.
struct Chimes: ReplicatedRecord, Equatable {
  var strikes = 0

  static let layout = RecordLayout<Self>("Chimes", [.field("strikes", \.strikes)])
}

/// The sounds of chimes in an old build.
enum OldSound: ReplicatedChoice, Equatable {
  case struck(Tone)
  case rest
  case echoed(Echo)

  struct Tone: ReplicatedRecord, Equatable {
    var pitch: Int32 = 0
    var name = "none"

    static let layout = RecordLayout<Self>(
      "Tone",
      [.field("pitch", \.pitch), .field("name", \.name)],
    )
  }

  enum Echo: ReplicatedChoice, Equatable {
    case near
    case lost

    static let layout = ChoiceLayout<Self>("Echo", [.case("near", .near), .case("lost", .lost)])
  }

  static let layout = ChoiceLayout<Self>(
    "Sound",
    [
      .case("struck", embed: Self.struck) { if case .struck(let it) = $0 { it } else { nil } },
      .case("rest", .rest),
      .case("echoed", embed: Self.echoed) { if case .echoed(let it) = $0 { it } else { nil } },
    ],
  )
}

/// The sounds of a build in between: with another name for a field, and with more cases.
enum MiddleSound: ReplicatedChoice, Equatable {
  case swung
  case echoed(Echo)
  case struck(Tone)
  case rest

  struct Tone: ReplicatedRecord, Equatable {
    var label = ""
    var pitch: Int32 = 0

    static let layout = RecordLayout<Self>(
      "Tone",
      [.field("label", formerly: "name", keyPath: \.label), .field("pitch", \.pitch)],
    )
  }

  enum Echo: ReplicatedChoice, Equatable {
    case far
    case near

    static let layout = ChoiceLayout<Self>("Echo", [.case("far", .far), .case("near", .near)])
  }

  static let layout = ChoiceLayout<Self>(
    "Sound",
    [
      .case("swung", .swung),
      .case("echoed", embed: Self.echoed) { if case .echoed(let it) = $0 { it } else { nil } },
      .case("struck", embed: Self.struck) { if case .struck(let it) = $0 { it } else { nil } },
      .case("rest", .rest),
    ],
  )
}

/// The sounds of a new build: widened, and with an additional field.
enum NewSound: ReplicatedChoice, Equatable {
  case rest
  case struck(Tone)
  case echoed(MiddleSound.Echo)
  case swung

  struct Tone: ReplicatedRecord, Equatable {
    var label = ""
    var volume = 5
    var pitch = 0

    static let layout = RecordLayout<Self>(
      "NewTone",
      [
        .field("label", formerly: "name", keyPath: \.label), .field("volume", \.volume),
        .field("pitch", \.pitch),
      ],
    )
  }

  static let layout = ChoiceLayout<Self>(
    "NewSound",
    [
      .case("rest", .rest),
      .case("struck", embed: Self.struck) { if case .struck(let it) = $0 { it } else { nil } },
      .case("echoed", embed: Self.echoed) { if case .echoed(let it) = $0 { it } else { nil } },
      .case("swung", .swung),
    ],
  )
}

/// Other sounds with the same names.
enum OtherSound: ReplicatedChoice, Equatable {
  case struck(Tone, key: Int)

  struct Tone: ReplicatedRecord, Equatable {
    var pitch = ""

    static let layout = RecordLayout<Self>("Tone", [.field("pitch", \.pitch)])
  }

  static let layout = ChoiceLayout<Self>(
    "Sound",
    [
      .case("struck", "_0", "key", embed: Self.struck(_:key:)) {
        if case .struck(let tone, let key) = $0 { (tone, key) } else { nil }
      }
    ],
  )
}

/// A type without a relation to sounds.
struct Postcard: ReplicatedRecord, Equatable {
  var text = ""

  static let layout = RecordLayout<Self>("Postcard", [.field("text", \.text)])
}

struct Letter: ReplicatedRecord, Equatable {
  var body = ""

  static let layout = RecordLayout<Self>("Letter", [.field("body", \.body)])
}

enum Weather: ReplicatedChoice, Equatable {
  case sunny
  case rainy

  static let layout = ChoiceLayout<Self>(
    "Weather",
    [.case("sunny", .sunny), .case("rainy", .rainy)],
  )
}

struct LocalOnly: Equatable, Sendable {}

/// A root of chimes that emit sounds of any build.
struct ChimeHost<Sound: ReplicatedState>: Reducer {
  struct State: Sendable {
    var chimes = Chimes()
  }

  enum Action: Sendable {
    case chimes(ChimeAction<Sound>)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      guard case .chimes(.struck(let sounds)) = action else { return .none }
      state.chimes.strikes += 1
      return .concatenate(sounds.map { .output($0) })
    }
  }
}

enum ChimeAction<Sound: ReplicatedState>: WireChoiceAction {
  case touched
  /// An action of the daemon only.
  case struck([Sound])

  static var layout: ActionLayout<Self> {
    ActionLayout(
      "Chimes.Action",
      [.case("touched", .touched) { if case .touched = $0 { true } else { false } }],
    )
  }
}

extension ChimeHost.Action: CasePathable {
  struct AllCasePaths: Sendable {
    var chimes: AnyCasePath<ChimeHost.Action, ChimeAction<Sound>> {
      AnyCasePath(
        embed: { .chimes($0) },
        extract: { if case .chimes(let it) = $0 { it } else { nil } },
      )
    }
  }

  static var allCasePaths: AllCasePaths { AllCasePaths() }
}

typealias ChimeDaemon<Sound: ReplicatedState> = BenchOf<
  ChimeHost<Sound>.State, ChimeHost<Sound>.Action
>

extension BenchOf {
  /// Creates a daemon of chimes.
  convenience init<Sound: ReplicatedState>(chimes sound: Sound.Type, epoch: UInt64 = 1)
  where State == ChimeHost<Sound>.State, Action == ChimeHost<Sound>.Action {
    self.init(
      RootCore(initialState: { State() }, reducer: { ChimeHost<Sound>() }),
      exposures: [Expose("chimes", state: \State.chimes, action: \.chimes, output: Sound.self)],
      epoch: epoch,
    )
  }

  /// Emits sounds with one action.
  func put<Sound: ReplicatedState>(_ sounds: [Sound]) throws
  where State == ChimeHost<Sound>.State, Action == ChimeHost<Sound>.Action {
    try send(.chimes(.struck(sounds)))
  }
}
