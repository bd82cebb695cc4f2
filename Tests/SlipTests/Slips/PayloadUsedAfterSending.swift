import StoreActor

final class Photo {
  var bytes: [UInt8] = []
}

@Reducer
struct Camera {
  @ObservableState
  struct State: Equatable { var photos = 0 }

  enum Action {
    case shutterButtonTapped
    case taken(Photo)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .shutterButtonTapped:
        return .run { send in
          let photo = Photo()
          await send(.taken(photo))
          photo.bytes = []
        }
      case .taken:
        state.photos += 1
        return .none
      }
    }
  }
}
