import StoreActor

struct Palette: Codable, Equatable, Sendable { var name = "" }

@ObservableState
struct Canvas: DurableState, Equatable, Sendable {
  var width = 1
  @DurableAsCodable var palette = Palette()
}
