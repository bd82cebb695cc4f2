import StoreActor

struct Settings: Equatable { var volume = 0 }

@Reducer
enum Destination {
  case settings(Settings)
}
