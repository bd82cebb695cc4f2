import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The progress of a long operation, on a line of the terminal that is erased at the end.
///
/// The line is for people only: on standard error, if that is a terminal, unless the lines that are
/// printed meanwhile already show the progress.
final class ProgressLine {
  /// A shorter operation shows no line.
  private static let patience: Duration = .milliseconds(300)
  private static let pause: Duration = .milliseconds(100)

  private let clock = ContinuousClock()
  private let isWanted: Bool
  private var nextAt: ContinuousClock.Instant
  private var isShown = false

  /// Starts the time after which progress is shown.
  ///
  /// - Parameter printsMeanwhile: Whether lines are printed during the operation.
  init(printsMeanwhile: Bool = false) {
    let isDumb = Environment.variables("TERM")["TERM"].map { ["", "dumb"].contains($0) } ?? true
    isWanted =
      isatty(StandardOutput.errorDescriptor) == 1 && !isDumb
      && !(printsMeanwhile && isOutputTerminal)
    nextAt = clock.now + Self.patience
  }

  deinit { end() }

  /// Shows the progress, at most every 100 ms.
  func tell(_ text: @autoclosure () -> String) {
    guard isWanted, clock.now >= nextAt else { return }
    nextAt = clock.now + Self.pause
    isShown = true
    show(Printable.text(text()))
  }

  /// Erases the line.
  func end() {
    guard isShown else { return }
    isShown = false
    show("")
  }

  private func show(_ text: String) {
    // Progress is optional, so a failed write is ignored.
    _ = StandardOutput.write(Array("\r\(text)\u{1B}[K".utf8), to: StandardOutput.errorDescriptor)
  }
}
