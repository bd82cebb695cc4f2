import StoreActor

@ObservableState
struct Visitor: Equatable, Identifiable, ReplicatedState, Sendable {
  let id = UUID()
  var name = ""
}
