import StoreActor
import StoreServer

/// Effects, which run for some time beside all other events.
extension World {
  /// Performs the work of an action's effect.
  func work(for tag: UInt64, _ sink: EffectSink<Board.Action>) {
    let (epoch, daemon) = (history.epochs.count - 1, daemon)
    let place = history.epochs[epoch].work.count
    let reduction = history.epochs[epoch].reductions.last { $0.tag == tag }
    let released = daemon?.turn.server.revision ?? 0
    history.epochs[epoch].work.append(
      History.Work(tag: tag, isReleased: reduction.map { $0.revision <= released } ?? false)
    )
    sink.onCancel = { [unowned self] in end(epoch, place) }
    clock.after(generator.duration(.zero ... .seconds(1))) { [unowned self] in
      guard history.epochs[epoch].work[place].end == nil else { return }
      sink.send(.accounts(.arrived(amount: 0)))
      end(epoch, place)
      sink.finish()
      daemon?.planTurn()
    }
  }

  private func end(_ epoch: Int, _ place: Int) {
    if history.epochs[epoch].work[place].end == nil {
      history.epochs[epoch].work[place].end = clock.now
    }
  }

  /// Ends the work of a daemon that has ended.
  func endAllWork() {
    let epoch = history.epochs.count - 1
    for place in history.epochs[epoch].work.indices { end(epoch, place) }
  }
}
