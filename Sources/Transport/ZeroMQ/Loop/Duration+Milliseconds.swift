extension Duration {
  /// The duration in milliseconds for libzmq: rounded up, from 0 to `Int32.max`.
  ///
  /// It is rounded up because a wait that ends too early makes a loop spin until the time is over.
  var millisecondsRoundedUp: Int32 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    guard seconds < Int64(Int32.max) / 1000 else { return Int32.max }
    let attosecondsPerMillisecond: Int64 = 1_000_000_000_000_000
    let rest = (attoseconds + attosecondsPerMillisecond - 1) / attosecondsPerMillisecond
    return Int32(seconds * 1000 + rest)
  }
}
