#if !canImport(SwiftUI)
/// Replaces SwiftUI's type on platforms without SwiftUI, where features that name animations must
/// compile as well.
///
/// It has no visible effect, and all animations are equal.
///
/// ```swift
/// await send(.timerTicked, animation: .interpolatingSpring(stiffness: 3000, damping: 40))
/// ```
///
/// This file and `Animation+Sending.swift` contain the whole replacement.
public struct Animation: Hashable, Sendable {
  private init() {}

  /// The usual animation.
  public static let `default` = Self()
  /// Linear: constant speed.
  public static let linear = Self()
  /// Slow at the start.
  public static let easeIn = Self()
  /// Slow at the end.
  public static let easeOut = Self()
  /// Slow at the start and at the end.
  public static let easeInOut = Self()
  /// A spring.
  public static let spring = Self()
  /// A spring that follows a finger.
  public static let interactiveSpring = Self()
  /// A spring that bounces.
  public static let bouncy = Self()
  /// A spring that does not bounce.
  public static let smooth = Self()
  /// A spring that bounces a little.
  public static let snappy = Self()
}

extension Animation {
  /// Linear: constant speed.
  public static func linear(duration: Double) -> Self { .linear }

  /// Slow at the start.
  public static func easeIn(duration: Double) -> Self { .easeIn }

  /// Slow at the end.
  public static func easeOut(duration: Double) -> Self { .easeOut }

  /// Slow at the start and at the end.
  public static func easeInOut(duration: Double) -> Self { .easeInOut }

  /// A spring.
  public static func spring(
    response: Double = 0.5,
    dampingFraction: Double = 0.825,
    blendDuration: Double = 0,
  ) -> Self { .spring }

  /// A spring.
  public static func spring(
    duration: Double,
    bounce: Double = 0,
    blendDuration: Double = 0,
  ) -> Self { .spring }

  /// A spring that follows a finger.
  public static func interactiveSpring(
    response: Double = 0.15,
    dampingFraction: Double = 0.86,
    blendDuration: Double = 0.25,
  ) -> Self { .interactiveSpring }

  /// A spring of physical properties.
  public static func interpolatingSpring(
    mass: Double = 1,
    stiffness: Double,
    damping: Double,
    initialVelocity: Double = 0,
  ) -> Self { .spring }

  /// A spring that bounces.
  public static func bouncy(duration: Double = 0.5, extraBounce: Double = 0) -> Self {
    .bouncy
  }

  /// A spring that does not bounce.
  public static func smooth(duration: Double = 0.5, extraBounce: Double = 0) -> Self {
    .smooth
  }

  /// A spring that bounces a little.
  public static func snappy(duration: Double = 0.5, extraBounce: Double = 0) -> Self {
    .snappy
  }

  /// The animation after a delay.
  public func delay(_ delay: Double) -> Self { self }

  /// The animation at another speed.
  public func speed(_ speed: Double) -> Self { self }

  /// The animation, repeated a number of times.
  public func repeatCount(_ repeatCount: Int, autoreverses: Bool = true) -> Self { self }

  /// The animation, repeated without end.
  public func repeatForever(autoreverses: Bool = true) -> Self { self }
}

/// Replaces SwiftUI's type on platforms without SwiftUI: the context of a change.
public struct Transaction: Hashable, Sendable {
  /// The animation of the change.
  public var animation: Animation?

  /// Whether views must not animate the change by themselves.
  public var disablesAnimations = false

  /// Creates a transaction.
  public init(animation: Animation? = nil) {
    self.animation = animation
  }
}
#endif
