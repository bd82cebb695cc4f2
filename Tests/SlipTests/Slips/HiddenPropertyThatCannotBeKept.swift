import StoreActor

struct Dice: Equatable, Sendable { var faces = 6 }

@ObservableState
struct Table: DurableState, Equatable, Sendable {
  var turn = 1
  @ReplicationIgnored var dice = Dice()
}
