import StoreActor
package import StoreHistory
import StoreState

/// Records the steps of a root, with its type.
///
/// An object, because generic values are slow to copy.
@MainActor
package final class RootJournal<Root: Sendable> {
  package let recorder: Recorder
  package let form: DurableForm<Root>
  /// The form's delta, stored here so that a call needs no lookup of the form's type.
  private let delta: (_ old: inout Root, _ new: inout Root, inout CBOREncoder) -> Bool

  package init(_ form: DurableForm<Root>, recorder: Recorder) {
    self.form = form
    self.recorder = recorder
    delta = form.delta
  }

  /// Records a step.
  ///
  /// - Returns: The bytes that it changed.
  func record(
    _ revision: UInt64,
    of origin: ActionOrigin?,
    from old: UnsafeMutablePointer<Root>,
    to new: UnsafePointer<Root>,
  ) -> Int {
    recorder.record(revision, of: origin) {
      delta(&old.pointee, &UnsafeMutablePointer(mutating: new).pointee, &$0)
    }
  }
}
