import StoreProtocol

/// The source of random topics and tokens.
@MainActor
final class Randomness {
  private var generator: any RandomNumberGenerator

  init(_ generator: any RandomNumberGenerator) { self.generator = generator }

  func identifier() -> Identifier { .random(using: &generator) }
}
