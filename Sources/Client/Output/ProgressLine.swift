import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// How far something long has come, on a line of the terminal that goes when it is done.
///
/// Only people are told: by standard error, where that is a terminal, and not where what is printed
/// meanwhile shows it anyway.
final class ProgressLine {
  /// What is done sooner needs no line.
  private static let patience: Duration = .milliseconds(300)
  private static let pause: Duration = .milliseconds(100)

  private let clock = ContinuousClock()
  private let isWanted: Bool
  private var nextAt: ContinuousClock.Instant
  private var isShown = false

  /// Begins to wait for what will be told.
  ///
  /// - Parameter printsMeanwhile: Whether lines are printed while it goes on.
  init(printsMeanwhile: Bool = false) {
    let isDumb = Environment.variables("TERM")["TERM"].map { ["", "dumb"].contains($0) } ?? true
    isWanted =
      isatty(StandardOutput.errorDescriptor) == 1 && !isDumb
      && !(printsMeanwhile && isOutputTerminal)
    nextAt = clock.now + Self.patience
  }

  deinit { end() }

  /// Shows how far it is, unless that was shown a moment ago.
  func tell(_ text: @autoclosure () -> String) {
    guard isWanted, clock.now >= nextAt else { return }
    nextAt = clock.now + Self.pause
    isShown = true
    show(Printable.text(text()))
  }

  /// Takes the line away.
  func end() {
    guard isShown else { return }
    isShown = false
    show("")
  }

  private func show(_ text: String) {
    // Where it cannot be shown it is not needed.
    _ = StandardOutput.write(Array("\r\(text)\u{1B}[K".utf8), to: StandardOutput.errorDescriptor)
  }
}
