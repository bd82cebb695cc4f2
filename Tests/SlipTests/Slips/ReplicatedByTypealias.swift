import StoreActor

typealias Wire = ReplicatedState & Sendable

@ObservableState
struct Card: Equatable, Wire {
  var name = ""
}

@ObservableState
struct Board: Equatable {
  var name = ""
}

extension Board: ReplicatedState {}
