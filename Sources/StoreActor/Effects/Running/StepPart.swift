/// A part of a reducer's step whose changes can be taken back alone: those of shared values, and
/// those of the registry of effects.
///
/// The caller keeps the state from before the part.
struct StepPart {
  private let registry = EffectPlace.current.registry
  private let changeCount: Int
  private let edits: SharedLock.Part?

  /// Begins a part of the step in progress.
  init() {
    changeCount = registry.stepChangeCount
    edits = SharedLock.beginPart()
  }

  /// Ends the part.
  ///
  /// - Parameter isKept: Whether its changes are kept; otherwise they are taken back.
  func end(isKept: Bool) {
    SharedLock.endPart(edits, isKept: isKept)
    if !isKept { registry.takeBackStepChanges(after: changeCount) }
  }
}
