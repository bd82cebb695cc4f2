import StoreActor
import StoreState

@testable import StoreExposures
@testable import StoreReplica

/// A daemon with the scope "library" and an optional scope "tail", of any build.
struct LibraryHost<Library: ReplicatedState & Equatable, LibraryAction: WireAction>: Reducer {
  struct State: Sendable {
    var library: Library
    var tail: Library?
  }

  enum Action: Sendable {
    case library(LibraryAction)
    case tail(LibraryAction)
    case tailReplaced(Library?)
  }

  let reduceLibrary: @Sendable (inout Library, LibraryAction) -> Void

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .library(let action): reduceLibrary(&state.library, action)
      case .tail(let action):
        guard var tail = state.tail else { return .none }
        reduceLibrary(&tail, action)
        state.tail = tail
      case .tailReplaced(let tail): state.tail = tail
      }
      return .none
    }
  }

  static var exposures: [Expose<State, Action>] {
    [
      Expose("library", state: \.library, action: \.library),
      Expose("tail", state: \.tail, action: \.tail),
    ]
  }
}

extension LibraryHost.Action: CasePathable {
  struct AllCasePaths: Sendable {
    var library: AnyCasePath<LibraryHost.Action, LibraryAction> {
      AnyCasePath(
        embed: { .library($0) },
        extract: { if case .library(let action) = $0 { action } else { nil } },
      )
    }

    var tail: AnyCasePath<LibraryHost.Action, LibraryAction> {
      AnyCasePath(
        embed: { .tail($0) },
        extract: { if case .tail(let action) = $0 { action } else { nil } },
      )
    }
  }

  static var allCasePaths: AllCasePaths { AllCasePaths() }
}

typealias LibraryDaemon<Library: ReplicatedState & Equatable, Action: WireAction> = BenchOf<
  LibraryHost<Library, Action>.State, LibraryHost<Library, Action>.Action
>

extension BenchOf {
  /// Creates a daemon of a library.
  convenience init<Library, LibraryAction>(
    _ library: Library,
    tail: Library? = nil,
    epoch: UInt64,
    _ reduce: @escaping @Sendable (inout Library, LibraryAction) -> Void,
  )
  where
    State == LibraryHost<Library, LibraryAction>.State,
    Action == LibraryHost<Library, LibraryAction>.Action
  {
    let state = State(library: library, tail: tail)
    let host = LibraryHost<Library, LibraryAction>(reduceLibrary: reduce)
    self.init(
      RootCore(initialState: { state }, reducer: { host }),
      exposures: LibraryHost<Library, LibraryAction>.exposures,
      epoch: epoch,
    )
  }
}

extension BenchClient {
  /// Follows a scope with the types of one build.
  func follow<State: ReplicatedState, Action: WireAction>(
    scope name: String = "library",
    _ type: State.Type,
    _ action: Action.Type,
  ) throws -> (scope: ClientScope, replica: TypedReplica<State>) {
    try follow(name, type, action: SchemaRegistry.document(for: action))
  }
}
