import StoreActor

struct Color: Equatable, Sendable { var red = 0.0 }

@ObservableState
struct Brush: Equatable, ReplicatedState, Sendable {
  var width = 1
  var color = Color()
}
