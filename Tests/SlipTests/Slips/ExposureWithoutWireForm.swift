import StoreActor
import StoreExposures

@Reducer
struct Vault {
  @ObservableState
  struct State: Equatable, Sendable { var gold = 0 }

  enum Action: Sendable { case lockButtonTapped }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
struct Bank {
  @ObservableState
  struct State: Equatable, Sendable { var vault = Vault.State() }

  enum Action: Sendable { case vault(Vault.Action) }

  var body: some ReducerOf<Self> {
    Scope(state: \.vault, action: \.vault) { Vault() }
  }
}

let exposures: [Expose<Bank.State, Bank.Action>] = [
  Expose("vault", state: \.vault, action: \.vault)
]
