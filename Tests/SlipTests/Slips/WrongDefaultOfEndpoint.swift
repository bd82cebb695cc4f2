import StoreActor

@DependencyClient
struct DiceClient: Sendable {
  var roll: @Sendable () -> Int = { "six" }
  var count: @Sendable (_ sides: Int) -> Int = { sides in
    let number = sides.rounded()
    return number
  }
}
