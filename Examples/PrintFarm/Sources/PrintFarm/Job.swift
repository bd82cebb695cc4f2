package import StoreActor

/// A job of the queue, which prints itself when the farm has given it a printer.
@Reducer
package struct Job {
  @ObservableState
  package struct State: Equatable, Identifiable, ReplicatedState, Sendable {
    package enum Status: String, CaseIterable, ReplicatedState, Sendable {
      case waiting, printing, jammed, printed, canceled
    }

    package let id: Int
    package var file: String
    package var layers: Int
    /// The number of printed layers.
    package var layer = 0
    package var status = Status.waiting

    package init(id: Int, file: String, layers: Int) {
      self.id = id
      self.file = file
      self.layers = layers
    }

    package var isOver: Bool { status == .printed || status == .canceled }
  }

  /// The actions that clients may send.
  package enum ViewAction: Equatable, Sendable, WireAction {
    case cancelButtonTapped
    case resumeButtonTapped
  }

  /// The actions that only the daemon sends, and that its journal keeps for a replay.
  package enum ReducerAction: DurableAction, Equatable, Sendable {
    case began
    case jammed
    case layerPrinted
  }

  private enum CancelID { case print }

  @Dependency(\.hardware) private var hardware

  package init() {}

  package var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .began:
        return print(&state)

      case .cancelButtonTapped:
        guard !state.isOver else {
          return .refuse("Job #\(state.id) has ended: \(state.status.rawValue).", code: "ended")
        }
        state.status = .canceled
        return .cancel(id: CancelID.print)

      case .jammed:
        state.status = .jammed
        return .none

      case .layerPrinted:
        state.layer += 1
        if state.layer == state.layers { state.status = .printed }
        return .none

      case .resumeButtonTapped:
        guard state.status == .jammed else {
          return .refuse("Job #\(state.id) is not jammed.", code: "status")
        }
        return print(&state)
      }
    }
    .onRestored { state, restoration in
      // The layer that the restart has interrupted is printed again.
      let isInterrupted = restoration.interrupted("print") && state.status == .printing
      return isInterrupted ? print(&state) : .none
    }
  }

  /// Prints the remaining layers, also if the sender of the job leaves: the daemon owns the work.
  private func print(_ state: inout State) -> Effect<Action> {
    state.status = .printing
    return .run(name: "print", owner: .daemon) { [hardware, state] send in
      for layer in state.layer..<state.layers {
        try await hardware.printLayer(layer, state)
        // The disk has a layer before the next one begins: a restart repeats at most one.
        try await send.durable(.layerPrinted)
      }
    } catch: { error, send in
      // Another error is that of a daemon which ends; the next one continues.
      if error is Jam { await send(.jammed) }
    }
    .cancellable(id: CancelID.print)
  }
}
