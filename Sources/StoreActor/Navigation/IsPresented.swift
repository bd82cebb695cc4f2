extension DependencyValues {
  /// Whether the calling feature is presented, and so can ``dismiss`` itself.
  public var isPresented: Bool {
    dismiss.action != nil
  }
}
