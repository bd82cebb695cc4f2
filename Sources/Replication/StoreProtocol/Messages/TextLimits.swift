/// The greatest sizes of texts in messages.
package enum TextLimits {
  /// A quotation of bytes that a peer has sent: enough to recognize it.
  package static let quotedBytes = 64
  /// The text of a failure, since outcomes are kept, and a thousand of them are one frame.
  package static let failureBytes = 512
  /// The span of an action.
  ///
  /// Version 0 of `traceparent` has 55 bytes. `TraceParent` sends no longer one than this.
  package static let traceBytes = 64
}
