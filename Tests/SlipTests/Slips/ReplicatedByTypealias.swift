import StoreActor

typealias Wire = ReplicatedState & Sendable

@ObservableState
struct Card: Equatable, Wire {
  var name = ""
}

@ObservableState
struct Pinboard: Equatable {
  var name = ""
}

extension Pinboard: ReplicatedState {}
