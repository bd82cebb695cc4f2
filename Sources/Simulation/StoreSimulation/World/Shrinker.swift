/// Searches the simplest options with which a seed still fails.
package enum Shrinker {
  /// Sets each number to its simplest value, or reduces it by half, as long as the run fails.
  ///
  /// - Parameters:
  ///   - options: Failing options.
  ///   - most: The largest number of runs.
  ///   - fails: Returns whether a run with some options fails.
  /// - Returns: The simplest failing options that were found.
  @MainActor
  package static func shrink(
    _ options: SimulationOptions,
    runs most: Int = 400,
    fails: (SimulationOptions) -> Bool,
  ) -> SimulationOptions {
    var best = options
    var runs = 0
    func isAccepted(_ knob: SimulationOptions.Knob, _ value: Int) -> Bool {
      var candidate = best
      knob.set(value, in: &candidate)
      candidate = candidate.coherent
      guard candidate != best, runs < most else { return false }
      runs += 1
      guard fails(candidate) else { return false }
      best = candidate
      return true
    }
    var isProgress = true
    while isProgress, runs < most {
      isProgress = false
      for knob in SimulationOptions.knobs {
        let value = knob.value(in: best)
        if value == knob.simplest { continue }
        if isAccepted(knob, knob.simplest) {
          isProgress = true
        } else if isAccepted(knob, (value + knob.simplest) / 2) {
          isProgress = true
        }
      }
    }
    return best
  }
}
