public import Foundation

extension DependencyValues {
  /// The center in which a feature posts and observes notifications.
  ///
  /// In a test: `$0.notificationCenter = NotificationCenter()`.
  public var notificationCenter: NotificationCenter {
    get { self[NotificationCenterKey.self] }
    set { self[NotificationCenterKey.self] = newValue }
  }

  private enum NotificationCenterKey: DependencyKey {
    static var liveValue: NotificationCenter { .default }
    static var previewValue: NotificationCenter { NotificationCenter() }
  }
}
