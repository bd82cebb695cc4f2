import Foundation
import IssueReporting

/// The kind of process, which determines the default value of each dependency.
public enum DependencyContext: Hashable, Sendable {
  /// A running program: `liveValue`.
  case live

  /// A preview of a user interface: `previewValue`.
  case preview

  /// A test: `testValue`.
  case test

  /// The context of this process, unless it is overridden.
  static let ofProcess: DependencyContext =
    if ProcessInfo.processInfo.environment["XCODE_RUNNING_FOR_PREVIEWS"] == "1" {
      .preview
    } else if isTesting {
      .test
    } else {
      .live
    }
}
