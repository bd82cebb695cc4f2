import StoreActor

@ObservableState
struct Timer: DurableState, Equatable, Sendable {
  var name = ""
  @DurableIgnored var secondsLeft: Int

  init(secondsLeft: Int) { self.secondsLeft = secondsLeft }
}
