/// What a journal keeps of a root, with its type.
///
/// An object: what is generic is slow to copy.
@MainActor
package final class RootJournal<Root: Sendable> {
  package let recorder: Recorder
  package let form: DurableForm<Root>

  package init(_ form: DurableForm<Root>, recorder: Recorder) {
    self.form = form
    self.recorder = recorder
  }

  /// Records a step.
  ///
  /// - Returns: The bytes that it changed.
  func record(
    _ revision: UInt64,
    from old: UnsafeMutablePointer<Root>,
    to new: UnsafePointer<Root>,
  ) -> Int {
    recorder.record(revision) { form.encodeDelta(UnsafePointer(old), new, &$0) }
  }
}
